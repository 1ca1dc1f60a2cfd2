use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

struct Account {
    owner: String,
    cents: i64,
}

struct Bank {
    accounts: Mutex<HashMap<u32, Account>>,
    journal: Mutex<Vec<String>>,
    rates: Mutex<Vec<f64>>,
}

impl Bank {
    fn new() -> Bank {
        Bank {
            accounts: Mutex::new(HashMap::new()),
            journal: Mutex::new(Vec::new()),
            rates: Mutex::new(vec![1.0, 0.98]),
        }
    }

    fn open(&self, number: u32, owner: &str, cents: i64) {
        let mut accounts = self.accounts.lock().unwrap();
        accounts.insert(number, Account { owner: owner.to_string(), cents });
    }

    fn rate(&self, at: usize) -> f64 {
        let rates = self.rates.lock().unwrap();
        rates[at % rates.len()]
    }

    fn transfer(&self, from: u32, to: u32, cents: i64) -> bool {
        let mut accounts = self.accounts.lock().unwrap();
        if accounts.get(&from).map_or(true, |one| one.cents < cents) {
            return false;
        }
        thread::sleep(Duration::from_millis(30));
        let mut journal = self.journal.lock().unwrap();
        journal.push(format!("{} -> {}: {}", from, to, cents));
        accounts.get_mut(&from).unwrap().cents -= cents;
        accounts.get_mut(&to).unwrap().cents += cents;
        true
    }

    fn audit(&self) -> i64 {
        let journal = self.journal.lock().unwrap();
        let lines = journal.len();
        thread::sleep(Duration::from_millis(30));
        let accounts = self.accounts.lock().unwrap();
        let sum: i64 = accounts.values().map(|one| one.cents).sum();
        sum + lines as i64
    }

    fn names(&self) -> Vec<String> {
        let accounts = self.accounts.lock().unwrap();
        accounts.values().map(|one| one.owner.clone()).collect()
    }
}

fn mover(bank: Arc<Bank>) {
    for round in 0..1000 {
        bank.transfer(1 + round % 2, 2 - round % 2, 5);
    }
}

fn auditor(bank: Arc<Bank>) {
    for round in 0..1000 {
        let sum = bank.audit();
        if sum < 0 {
            println!("{} {}", bank.rate(round), sum);
        }
    }
}

fn main() {
    let bank = Arc::new(Bank::new());
    bank.open(1, "ann", 100_000);
    bank.open(2, "bob", 100_000);
    let one = Arc::clone(&bank);
    let two = Arc::clone(&bank);
    let moving = thread::spawn(move || mover(one));
    let auditing = thread::spawn(move || auditor(two));
    moving.join().unwrap();
    auditing.join().unwrap();
    println!("{:?}", bank.names());
}
