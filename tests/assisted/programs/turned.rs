//! A door with a key that is lost when it was turned too often.
struct Key {
    code: u32,
    turns: u32,
}

struct Door {
    key: Option<Key>,
    opened: u32,
    refused: u32,
}

impl Door {
    fn new(code: Option<u32>) -> Self {
        let key = code.map(|code| Key { code, turns: 0 });
        Door { key, opened: 0, refused: 0 }
    }

    fn turn(&mut self, code: u32) -> bool {
        let key = self.key.as_mut().expect("a key");
        key.turns += 1;
        if key.turns > 3 {
            self.refused += 1;
            self.key = None;
            return false;
        }
        if key.code != code {
            self.refused += 1;
            return false;
        }
        self.opened += 1;
        true
    }

    fn visit(&mut self, codes: &[u32]) -> usize {
        codes.iter().filter(|code| self.turn(**code)).count()
    }
}

fn main() {
    let mut doors = vec![Door::new(Some(7)), Door::new(None)];
    let door = &mut doors[0];
    println!("{}", door.visit(&[7, 7]));
    println!("{}", door.visit(&[3, 7]));
    println!("{}", door.visit(&[7]));
    println!("{} {}", door.opened, door.refused);
}
