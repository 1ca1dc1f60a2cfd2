//! Counts the words of pages and ranks them; the rank works on a view of the table.

use std::collections::HashMap;

#[derive(Clone, Copy)]
struct Word {
    start: *const u8,
    length: usize,
    count: u64,
}

struct Table {
    words: Vec<Word>,
    positions: HashMap<&'static str, usize>,
    pages: usize,
}

struct Ranking {
    words: &'static [Word],
    least: u64,
}

impl Table {
    fn new(room: usize) -> Self {
        Table { words: Vec::with_capacity(room), positions: HashMap::new(), pages: 0 }
    }

    fn add_page(&mut self, text: &'static str) {
        for word in text.split_whitespace() {
            let at = *self.positions.entry(word).or_insert_with(|| {
                self.words.push(Word { start: word.as_ptr(), length: word.len(), count: 0 });
                self.words.len() - 1
            });
            self.words[at].count += 1;
        }
        self.pages += 1;
    }

    fn ranking(&self, least: u64) -> Ranking {
        let words = unsafe { std::slice::from_raw_parts(self.words.as_ptr(), self.words.len()) };
        Ranking { words, least }
    }

    fn compact(&mut self) {
        let kept: Vec<Word> = self.words.iter().copied().filter(|word| word.count > 1).collect();
        self.positions.clear();
        self.words = kept;
    }
}

fn checksum(word: &Word) -> u64 {
    let mut sum = word.length as u64;
    for at in 0..word.length.min(64) {
        let letter = unsafe { *word.start.add(at) };
        sum = sum.wrapping_mul(31).wrapping_add(u64::from(letter));
    }
    sum
}

impl Ranking {
    fn frequent(&self) -> usize {
        self.words.iter().filter(|word| word.count >= self.least).count()
    }

    fn digest(&self) -> u64 {
        self.words.iter().map(checksum).fold(0, |all, one| all ^ one)
    }
}

fn header(table: &Table, frequent: usize, room: usize) -> String {
    let mut line = String::with_capacity(room);
    line.push_str("pages and words that are used more than once in them: ");
    while line.len() + 16 < room {
        line.push_str("........");
    }
    line.push_str(&format!("{}/{}", table.pages, frequent));
    line
}

fn main() {
    let mut table = Table::new(12);
    table.add_page("the meter counts the pulses of the wheel");
    table.add_page("the wheel turns once for each litre");
    let ranking = table.ranking(2);
    let frequent = ranking.frequent();
    table.compact();
    let line = header(&table, frequent, 288);
    println!("{} {:x}", line, ranking.digest());
}
