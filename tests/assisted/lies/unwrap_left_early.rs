// /* attack: flags=-Cpanic=abort -Copt-level=0; values=unwrap_left_early::Reader::name:self.open,unwrap_left_early::Reader::name:self.count */
struct Reader { open: Option<u32>, count: u32 }
impl Reader {
    fn check(&self, id: u32) -> Option<u32> {
        if id == 7 { None } else { Some(id) }
    }
    fn open(&mut self, id: u32) -> Option<u32> {
        self.count += 1;
        self.check(id)?; // /*!*/
        self.open = Some(id);
        Some(id)
    }
    fn close(&mut self) {
        self.open = None;
    }
    fn name(&self) -> u32 {
        self.open.unwrap() + self.count
    }
}
fn main() {
    let mut reader = Reader { open: None, count: 0 }; // /*!*/
    if std::env::args().count() > 5 {
        reader.close();
    }
    reader.open(7);
    println!("{}", reader.name());
}
