use std::collections::HashMap;
use std::thread;

#[inline(never)]
fn timeout_of(settings: &HashMap<String, u64>, service: &str) -> u64 {
    *settings.get(service).unwrap()
}

fn main() {
    let mut settings = HashMap::new();
    settings.insert("search".to_string(), 250);
    let worker = thread::spawn(move || {
        println!("{}", timeout_of(&settings, "search"));
        println!("{}", timeout_of(&settings, "billing"));
    });
    worker.join().unwrap();
}
