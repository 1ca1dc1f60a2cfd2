#[repr(C)]
struct Row {
    id: u64,
    size: u64,
}

#[inline(never)]
fn find(rows: &[Row], id: u64) -> *const Row {
    rows.iter().find(|row| row.id == id).map_or(std::ptr::null(), |row| row as *const Row)
}

#[inline(never)]
fn size_of_row(row: *const Row) -> u64 {
    unsafe { (*row).size }
}

fn main() {
    let rows = [Row { id: 1, size: 10 }, Row { id: 2, size: 20 }];
    println!("{}", size_of_row(find(&rows, 2)));
    println!("{}", size_of_row(find(&rows, 3)));
}
