#[inline(never)]
fn hoard(count: usize) -> Vec<u64> {
    let mut words = Vec::new();
    words.reserve_exact(count);
    words
}

fn main() {
    let count = std::env::args().count();
    println!("{}", hoard(count).capacity());
    println!("{}", hoard(count << 52).capacity());
}
