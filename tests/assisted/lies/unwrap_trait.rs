// /* attack: flags=-Cpanic=abort */
// An outline of headings; a heading can be moved below another one, or taken out.
use std::collections::HashMap;

struct Heading {
    name: String,
    parent: Option<usize>,
    level: u32,
}

struct Outline {
    headings: Vec<Heading>,
    by_name: HashMap<String, usize>,
    root: Option<usize>,
    last: Option<usize>,
    moves: u32,
}

trait Wipe {
    fn wipe(&mut self);
}

impl Wipe for Option<usize> {
    fn wipe(&mut self) {
        *self = None; // /*!*/
    }
}

impl Outline {
    fn new(name: &str) -> Outline {
        let first = Heading { name: name.to_string(), parent: None, level: 0 };
        Outline {
            headings: vec![first],
            by_name: HashMap::from([(name.to_string(), 0)]),
            root: Some(0),
            last: None,
            moves: 0,
        }
    }

    fn add(&mut self, name: &str, parent: Option<usize>) -> usize {
        let id = self.headings.len();
        let level = parent.map_or(0, |up| self.headings[up].level + 1);
        self.headings.push(Heading { name: name.to_string(), parent, level });
        self.by_name.insert(name.to_string(), id);
        self.last = Some(id);
        id
    }

    fn move_below(&mut self, id: usize, up: usize) {
        if self.root == Some(id) {
            self.root = None;
        }
        self.headings[id].parent = Some(up);
        self.headings[id].level = self.headings[up].level + 1;
        self.moves += 1;
    }

    fn cut(&mut self) {
        self.root.wipe();
    }

    fn forget_last(&mut self) {
        self.last = None;
    }

    fn depth(&self, id: usize) -> usize {
        let mut at = id;
        let mut depth = 0;
        while let Some(up) = self.headings[at].parent {
            at = up;
            depth += 1;
        }
        depth
    }

    fn title(&self) -> &str {
        let id = self.root.unwrap();
        &self.headings[id].name
    }
}

fn main() {
    let mut outline = Outline::new("Introduction");
    let second = outline.add("Preface", None);
    println!("{} {}", outline.depth(second), outline.title());
    outline.forget_last();
    outline.move_below(second, 0);
    outline.cut();
    println!("{}", outline.title());
}
