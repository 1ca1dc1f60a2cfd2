// A page table of a small store: slots are found by an offset that is worked out when keys are read.
use std::collections::BTreeMap;

struct Slot { page: usize, offset: usize }

struct Store {
    pages: Vec<Vec<u8>>,
    index: BTreeMap<String, Slot>,
    header: usize,
}

impl Store {
    fn new(header: usize) -> Store {
        Store { pages: vec![vec![0; 64]; 4], index: BTreeMap::new(), header }
    }

    #[inline(never)]
    fn locate(&self, raw: usize) -> Slot {
        let offset = raw.wrapping_sub(self.header);
        Slot { page: raw / 64 % 4, offset: offset & 0xffff }
    }

    #[inline(never)]
    fn load(&mut self, entries: &[(&str, usize)]) {
        for (name, raw) in entries {
            let slot = self.locate(*raw);
            self.index.insert(name.to_string(), slot);
        }
    }

    #[inline(never)]
    fn read(&self, name: &str) -> u8 {
        let slot = &self.index[name];
        let page = &self.pages[slot.page];
        page[slot.offset]
    }
}

fn main() {
    let mut store = Store::new(16);
    store.load(&[("alpha", 20), ("beta", 48), ("gamma", 9), ("delta", 77)]);
    let mut sum = 0u32;
    for name in ["alpha", "beta", "delta", "gamma"] {
        sum += store.read(name) as u32;
    }
    println!("{sum}");
}
