// A check of the compiler finds a pointer that a method cleared. flags: -g -Cpanic=abort
use std::cell::Cell;
struct Arena { chunks: Vec<Vec<u8>>, used: usize }
struct View { at: *const u8, len: usize }
impl Arena {
    fn new() -> Arena { Arena { chunks: Vec::new(), used: 0 } }
    fn store(&mut self, text: &str) -> View {
        let chunk = text.as_bytes().to_vec();
        let view = View { at: chunk.as_ptr(), len: chunk.len() };
        self.used += chunk.len();
        self.chunks.push(chunk);
        view
    }
}
struct Table { rows: Vec<View>, hits: Cell<usize>, base: *const Table }
impl Table {
    fn new() -> Box<Table> {
        let mut table = Box::new(Table { rows: Vec::new(), hits: Cell::new(0), base: std::ptr::null() });
        table.base = &*table;
        table
    }
    fn add(&mut self, view: View) { self.rows.push(view); }
    fn detach(&mut self) {
        self.base = std::ptr::null(); // origin detached::Table::detach
    }
    fn lookup(&self, at: usize) -> usize {
        let table = unsafe { &*self.base };
        table.hits.set(table.hits.get() + 1);
        table.rows[at].len
    }
}
fn main() {
    let mut arena = Arena::new();
    let mut table = Table::new();
    for word in ["one", "two", "three"] { let view = arena.store(word); table.add(view); }
    let mut total = 0;
    for round in 0..6 {
        total += table.lookup(round % 3);
        if round == 3 { table.detach(); }
    }
    println!("{} {}", total, arena.used);
    let _ = table.rows[0].at;
}
