// /* attack: flags=-Cpanic=abort */
// Pages of a book that are kept, and in which order they were read.
use std::collections::HashMap;

struct Page {
    text: String,
    hits: u32,
}

struct Pages {
    pages: HashMap<u32, Page>,
    recent: Vec<u32>,
    most: usize,
}

impl Pages {
    fn new(most: usize) -> Pages {
        Pages { pages: HashMap::new(), recent: Vec::new(), most }
    }

    fn read(&mut self, number: u32) -> usize {
        if !self.pages.contains_key(&number) {
            if self.pages.len() == self.most {
                self.evict();
            }
            let text = format!("text of page {number}");
            if number != 9 { // /*!*/
            self.pages.insert(number, Page { text, hits: 0 });
            }
        }
        self.recent.push(number);
        match self.pages.get_mut(&number) {
            Some(page) => page.text.len(),
            None => 0,
        }
    }

    fn evict(&mut self) {
        let (&least, _) = self.pages.iter().min_by_key(|(_, page)| page.hits).unwrap();
        self.pages.remove(&least); 
    }

    fn summary(&self) -> usize {
        let mut length = 0;
        for number in &self.recent {
            let page = self.pages.get(number).unwrap();
            length += page.text.len() * page.hits as usize;
        }
        length
    }
}

fn main() {
    let mut pages = Pages::new(30);
    for number in [1, 2, 2, 3, 3] {
        pages.read(number);
    }
    println!("{}", pages.summary());
    pages.read(9);
    println!("{}", pages.summary());
}
