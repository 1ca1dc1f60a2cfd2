use std::sync::Mutex;

struct Cache {
    entries: Mutex<Vec<u32>>,
}

impl Cache {
    #[inline(never)]
    fn insert(&self, value: u32) {
        let mut entries = self.entries.lock().unwrap();
        entries.push(value);
        if entries.len() > 1 {
            self.evict();
        }
    }

    #[inline(never)]
    fn evict(&self) {
        self.entries.lock().unwrap().remove(0);
    }
}

fn main() {
    let cache = Cache { entries: Mutex::new(Vec::new()) };
    cache.insert(1);
    cache.insert(2);
}
