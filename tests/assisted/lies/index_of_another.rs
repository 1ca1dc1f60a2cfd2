/* attack: flags=-Copt-level=0 -Cpanic=abort */
// Tickets of a desk: one map for two lists, of which the wrong one is looked into.
use std::collections::HashMap;

struct Desk {
    open: Vec<String>,
    done: Vec<String>,
    places: HashMap<u32, usize>,
}

impl Desk {
    fn ask(&mut self, number: u32, text: &str) {
        self.places.insert(number, self.open.len());
        self.open.push(text.to_string());
    }

    fn close(&mut self, number: u32) {
        if let Some(&at) = self.places.get(&number) {
            let text = self.open[at].clone();
            self.done.push(text);
        }
    }

    fn forget(&mut self) -> Option<String> {
        self.done.pop()
    }

    fn answer(&self, number: u32) -> usize {
        let at = self.places[&number];
        self.done[at].len() // /*!*/
    }
}

fn main() {
    let mut desk = Desk { open: Vec::new(), done: Vec::new(), places: HashMap::new() };
    desk.ask(7, "a chair");
    desk.ask(8, "a lamp");
    desk.ask(9, "a table");
    desk.close(7);
    println!("{}", desk.answer(7));
    println!("{:?}", desk.forget());
    desk.close(9);
    println!("{}", desk.answer(9));
}
