// /* attack: flags=-Cpanic=abort */
// Orders of clients; each client's orders are kept by their place in the book.

#[derive(Debug)]
struct Order {
    shares: u32,
    price: u64,
}

#[derive(Default)]
struct Book {
    orders: Vec<Order>,
    large: Vec<usize>,
}

impl Book {
    fn place(&mut self, large: bool, shares: u32, price: u64) -> usize {
        let at = self.orders.len();
        self.orders.push(Order { shares, price });
        if large {
            self.large.push(at);
        }
        at
    }

    fn cancel(&mut self, at: usize) {
        self.orders.remove(at); // /*!*/
    }

    fn exposure(&self, client: &str) -> u64 {
        let mut sum = 0;
        let _ = client;
        for &number in &self.large {
            let order = &self.orders[number];
            sum += u64::from(order.shares) * order.price;
        }
        sum
    }
}

fn main() {
    let mut book = Book::default();
    book.place(true, 10, 25);
    let second = book.place(false, 5, 40);
    book.place(true, 1, 990);
    println!("{} {}", book.exposure("ada"), book.exposure("bob"));
    book.cancel(second);
    println!("{} {}", book.exposure("bob"), book.exposure("ada"));
}
