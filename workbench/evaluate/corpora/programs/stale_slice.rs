struct Node {
    value: u64,
    next: *mut Node,
}

#[inline(never)]
fn push(next: *mut Node, value: u64) -> *mut Node {
    Box::into_raw(Box::new(Node { value, next }))
}

#[inline(never)]
fn remove(node: *mut Node) {
    unsafe { drop(Box::from_raw(node)) }
}

#[inline(never)]
fn sum(mut node: *const Node) -> u64 {
    let mut total = 0;
    while !node.is_null() {
        unsafe {
            total += std::ptr::read_volatile(&(*node).value);
            node = (*node).next;
        }
    }
    total
}

fn main() {
    let head = push(push(push(std::ptr::null_mut(), 1), 2), 3);
    println!("{}", sum(head));
    remove(unsafe { (*head).next });
    println!("{}", sum(head));
}
