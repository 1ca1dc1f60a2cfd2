#[inline(never)]
fn pack(packet: &mut [u8], header: &[u8]) {
    packet[..4].copy_from_slice(header);
}

fn main() {
    let mut packet = [0u8; 8];
    pack(&mut packet, &[1, 2, 3, 4]);
    pack(&mut packet, &vec![9; std::env::args().count() + 1]);
    println!("{:?}", packet);
}
