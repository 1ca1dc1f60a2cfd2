use std::process;

#[inline(never)]
fn load_key(bytes: &[u8]) -> [u8; 4] {
    if bytes.len() < 4 {
        eprintln!("key file is damaged");
        process::abort();
    }
    [bytes[0], bytes[1], bytes[2], bytes[3]]
}

fn main() {
    println!("{:?}", load_key(b"abcd"));
    println!("{:?}", load_key(b"ab"));
}
