use std::fmt::Write;

struct Sprite {
    name: &'static str,
    frames: u32,
}

struct Tile {
    sprite: *const Sprite,
    height: i32,
    visits: u32,
}

struct Map {
    columns: usize,
    rows: usize,
    tiles: Vec<Tile>,
}

static GRASS: Sprite = Sprite { name: "grass", frames: 1 };
static WATER: Sprite = Sprite { name: "water", frames: 4 };
static STONE: Sprite = Sprite { name: "stone", frames: 2 };

impl Map {
    fn new(columns: usize, rows: usize) -> Map {
        let mut tiles = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            for column in 0..columns {
                let sprite = match (row * 7 + column * 3) % 5 {
                    0 | 1 => &GRASS,
                    2 => &STONE,
                    _ => &WATER,
                };
                tiles.push(Tile { sprite, height: (row + column) as i32, visits: 0 });
            }
        }
        Map { columns, rows, tiles }
    }

    #[inline(never)]
    fn at(&self, column: usize, row: usize) -> &Tile {
        let index = row * self.rows + column;
        unsafe { self.tiles.get_unchecked(index) }
    }

    fn visit(&mut self, column: usize, row: usize) {
        let place = row * self.columns + column;
        if let Some(tile) = self.tiles.get_mut(place) {
            tile.visits += 1;
        }
    }
}

#[inline(never)]
fn frames_of(tile: &Tile) -> u32 {
    let sprite = unsafe { &*tile.sprite };
    sprite.frames + tile.visits
}

struct View {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

impl View {
    fn animate(&self, map: &Map) -> u32 {
        let mut sum = 0;
        for row in self.top..self.top + self.height {
            for column in self.left..self.left + self.width {
                sum += frames_of(map.at(column, row));
            }
        }
        sum
    }
}

fn describe(map: &Map, view: &View) -> String {
    let mut text = String::new();
    for row in view.top..view.top + view.height {
        let _ = write!(text, "{} ", map.tiles[row * map.columns].height);
    }
    let _ = write!(text, "{}", GRASS.name.len() + WATER.name.len() + STONE.name.len());
    text
}

fn main() {
    let mut map = Map::new(12, 40);
    for step in 0..40 {
        map.visit(step % 12, step);
    }
    let notes: Vec<u64> = (0..2000).map(|n| 0x5050_0000_0000_0000 + n * 0x1_0001).collect();
    let north = View { left: 0, top: 0, width: 12, height: 6 };
    println!("{} {}", describe(&map, &north), north.animate(&map));
    let south = View { left: 2, top: 20, width: 10, height: 15 };
    println!("{} {}", describe(&map, &south), south.animate(&map));
    println!("{}", notes.len());
}
