// A table of sessions by number; a session that is closed leaves its slot empty.
use std::collections::HashMap;

#[derive(Debug, Clone)]
struct Session {
    user: String,
    bytes: u64,
}

struct Table {
    slots: Vec<Option<Session>>,
    by_user: HashMap<String, usize>,
    closed: usize,
}

impl Table {
    fn new() -> Self {
        Table { slots: Vec::new(), by_user: HashMap::new(), closed: 0 }
    }

    fn open(&mut self, user: &str) -> usize {
        let session = Session { user: user.to_string(), bytes: 0 };
        let at = self.slots.len();
        self.slots.push(Some(session));
        self.by_user.insert(user.to_string(), at);
        at
    }

    fn close(&mut self, at: usize) -> Option<Session> {
        let session = self.slots[at].take();
        if session.is_some() {
            self.closed += 1;
        }
        session
    }

    fn transfer(&mut self, user: &str, bytes: u64) {
        if let Some(&at) = self.by_user.get(user) {
            let session = self.slots[at].as_mut().unwrap();
            session.bytes += bytes;
        }
    }

    fn total(&self) -> u64 {
        self.slots.iter().flatten().map(|session| session.bytes).sum()
    }
}

fn expire(table: &mut Table, limit: u64) -> u64 {
    let mut expired = 0;
    for at in 0..table.slots.len() {
        let over = match &table.slots[at] {
            Some(session) => session.bytes > limit,
            None => false,
        };
        if over {
            if let Some(session) = table.close(at) {
                println!("{} expired", session.user);
                expired += session.bytes;
            }
        }
    }
    expired
}

fn main() {
    let mut table = Table::new();
    for user in ["ada", "bob", "cyd", "dan"] {
        table.open(user);
    }
    for (nth, user) in ["ada", "cyd", "ada", "bob", "ada"].iter().enumerate() {
        table.transfer(user, 100 * (nth as u64 + 1));
    }
    let expired = expire(&mut table, 600);
    for user in ["dan", "ada"] {
        table.transfer(user, 50);
    }
    println!("{} {} {}", expired, table.total(), table.closed);
}
