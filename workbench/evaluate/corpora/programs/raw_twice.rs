#[inline(never)]
fn release(frame: *mut [u64; 40]) {
    unsafe {
        drop(Box::from_raw(frame));
        drop(Box::from_raw(frame));
    }
}

fn main() {
    release(Box::into_raw(Box::new([3u64; 40])));
}
