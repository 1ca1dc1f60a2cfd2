#[inline(never)]
fn remaining(total: usize, used: usize) -> usize {
    total - used
}

fn main() {
    let used = std::env::args().count() + 8;
    println!("{}", remaining(100, used));
    println!("{}", remaining(8, used));
}
