// /* attack: flags=-Cpanic=abort; values=main:ring.at */
struct Ring { cells: Vec<u32>, at: usize, sum: u32 }
impl Ring {
    fn step(&mut self) {
        self.at += 1; // /*!*/
    }
    fn next(&mut self) {
        if self.at + 1 < self.cells.len() {
            self.step();
            self.at += 1; // /*!*/
        }
    }
    fn drop_last(&mut self) {
        self.cells.pop();
    }
    fn read(&mut self) -> u32 {
        self.sum += self.cells[self.at];
        self.sum
    }
}
fn main() {
    let mut ring = Ring { cells: vec![1, 2, 3, 4, 5], at: 0, sum: 0 };
    ring.drop_last();
    for _ in 0..3 {
        ring.next();
        println!("{}", ring.read());
    }
}
