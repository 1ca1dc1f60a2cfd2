// /* attack: flags=-Cpanic=abort -Copt-level=0 */
struct Row { id: u32, dead: bool, to: u32 }
struct Table { rows: Vec<Row>, index: Vec<Option<usize>> }
impl Table {
    fn find(&self, id: u32) -> Option<u32> {
        let at = self.index[id as usize]?;
        if self.rows[at].dead {
            return None;
        }
        Some(self.rows[at].to)
    }
    fn forget(&mut self, id: u32) {
        self.index[id as usize] = None; // /*!*/
    }
    fn to(&self, id: u32) -> u32 {
        self.find(id).unwrap() + self.rows[0].id
    }
}
fn main() {
    let mut table = Table { rows: vec![Row { id: 1, dead: false, to: 2 }], index: vec![None, Some(0)] };
    println!("{:?}", table.find(1));
    table.forget(1);
    println!("{}", table.to(1));
}
