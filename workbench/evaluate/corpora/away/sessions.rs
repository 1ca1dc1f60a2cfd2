//! Sessions of a gateway: a ticker ages them, the gateway writes what each has transferred.

use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::Arc;
use std::thread;

struct Session {
    chunks: Vec<u64>,
    peer: String,
    number: u32,
}

struct Gateway {
    sessions: Vec<Arc<Session>>,
}

enum Tick {
    Age(usize),
    Log(String),
    Stop,
}

impl Gateway {
    fn open(&mut self, number: u32, peer: &str) -> usize {
        let chunks = (1..=8).map(|at| u64::from(number) * at).collect();
        let session = Arc::new(Session { chunks, peer: peer.to_string(), number });
        self.sessions.push(Arc::clone(&session));
        Arc::into_raw(session) as usize
    }

    #[inline(never)]
    fn transferred(&self) -> u64 {
        self.sessions.iter().map(|session| volume(session)).sum()
    }
}

#[inline(never)]
fn volume(session: &Session) -> u64 {
    let sum: u64 = session.chunks.iter().sum();
    sum + session.peer.len() as u64
}

#[inline(never)]
fn age(handle: usize) -> u32 {
    let session = unsafe { Arc::from_raw(handle as *const Session) };
    session.number
}

#[inline(never)]
fn remember(lines: &mut Vec<Vec<u8>>, text: &str) {
    let mut line = Vec::with_capacity(72);
    while line.len() < 72 {
        line.extend_from_slice(&text.as_bytes()[..text.len().min(72 - line.len())]);
    }
    lines.push(line);
}

fn tick(orders: Receiver<Tick>, done: Sender<u32>) {
    let mut lines = Vec::with_capacity(4);
    loop {
        match orders.recv() {
            Ok(Tick::Age(handle)) => done.send(age(handle)).unwrap(),
            Ok(Tick::Log(text)) => {
                remember(&mut lines, &text);
                done.send(lines.len() as u32).unwrap();
            }
            Ok(Tick::Stop) | Err(_) => return,
        }
    }
}

fn main() {
    let (orders, received) = channel();
    let (done, answers) = channel();
    let ticker = thread::spawn(move || tick(received, done));
    let mut gateway = Gateway { sessions: Vec::new() };
    let first = gateway.open(11, "north");
    let second = gateway.open(12, "south");

    for handle in [first, second, first] {
        orders.send(Tick::Age(handle)).unwrap();
        answers.recv().unwrap();
    }
    orders.send(Tick::Log("aged all sessions; ".to_string())).unwrap();
    answers.recv().unwrap();
    println!("{}", gateway.transferred());
    orders.send(Tick::Stop).unwrap();
    ticker.join().unwrap();
}
