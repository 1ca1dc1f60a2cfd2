use std::cell::RefCell;
use std::rc::Rc;

struct Account {
    history: RefCell<Vec<i64>>,
}

#[inline(never)]
fn book(account: &Rc<Account>, sum: i64) {
    let mut history = account.history.borrow_mut();
    history.push(sum);
    if history.len() > 2 {
        compact(account);
    }
}

#[inline(never)]
fn compact(account: &Rc<Account>) {
    let total: i64 = account.history.borrow().iter().sum();
    account.history.replace(vec![total]);
}

fn main() {
    let account = Rc::new(Account { history: RefCell::new(Vec::new()) });
    for sum in [5, 7, -2] {
        book(&account, sum);
    }
}
