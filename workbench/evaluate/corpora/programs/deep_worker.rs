use std::hint::black_box;
use std::thread;

#[inline(never)]
fn blend(depth: usize) -> u64 {
    let layer = black_box([depth as u64; 1000]);
    if depth == 0 {
        return layer[3];
    }
    blend(depth - 1) + layer[depth % 1000]
}

fn main() {
    let worker = thread::spawn(|| blend(1_000_000));
    println!("{}", worker.join().unwrap());
}
