// /* attack: flags=-Cpanic=abort */
// Orders of clients; each client's orders are kept by their place in the book.
use std::collections::HashMap;

#[derive(Debug)]
struct Order {
    shares: u32,
    price: u64,
}

#[derive(Default)]
struct Book {
    orders: Vec<Order>,
    by_client: HashMap<String, Vec<usize>>,
}

impl Book {
    fn place(&mut self, client: &str, shares: u32, price: u64) -> usize {
        let at = self.orders.len();
        self.orders.push(Order { shares, price });
        self.by_client.entry(client.to_string()).or_default().push(at);
        at
    }

    fn cancel(&mut self, at: usize) {
        self.orders.remove(at); 
        for numbers in self.by_client.values_mut() {
            for number in numbers.iter_mut() {
                if *number > at {
                    *number += 1; // /*!*/
                }
            }
        }
    }

    fn exposure(&self, client: &str) -> u64 {
        let mut sum = 0;
        if let Some(numbers) = self.by_client.get(client) {
            for &number in numbers {
                let order = &self.orders[number];
                sum += u64::from(order.shares) * order.price;
            }
        }
        sum
    }
}

fn main() {
    let mut book = Book::default();
    book.place("ada", 10, 25);
    let second = book.place("bob", 5, 40);
    book.place("ada", 1, 990);
    println!("{} {}", book.exposure("ada"), book.exposure("bob"));
    book.cancel(second); // 
    println!("{} {}", book.exposure("bob"), book.exposure("ada"));
}
