// /* attack: flags=-Cpanic=abort */
// A map of tiles, kept row after row.
#[derive(Clone, Copy, PartialEq)]
enum Tile {
    Water,
    Land,
}

struct Map {
    width: u8,
    tiles: Vec<Tile>,
}

impl Map {
    #[inline(never)]
    fn new(width: usize, height: usize) -> Map {
        let tiles = vec![Tile::Water; width * height];
        Map { width: width as u8, tiles } // /*!*/
    }

    #[inline(never)]
    fn fill(&mut self, from: usize, count: usize) {
        for tile in &mut self.tiles[from..from + count] {
            *tile = Tile::Land;
        }
    }

    #[inline(never)]
    fn row_of(&self, at: usize) -> usize {
        at / self.width as usize
    }
}

fn main() {
    let width = std::env::args().count() * 255 + 1;
    let mut small = Map::new(20, 10);
    small.fill(45, 10);
    println!("row {}", small.row_of(45));
    let mut large = Map::new(width, 16);
    large.fill(600, 50);
    println!("row {} {}", large.row_of(600), large.tiles.iter().filter(|&&t| t == Tile::Land).count());
}
