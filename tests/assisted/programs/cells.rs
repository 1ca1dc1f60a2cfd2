use std::mem;

struct Grid {
    width: usize,
    len: usize,
    ptr: *mut u64,
}

struct Style {
    name: &'static str,
    weight: Box<Box<u64>>,
    uses: usize,
}

impl Grid {
    fn new(width: usize, height: usize) -> Grid {
        let mut cells: Vec<u64> = Vec::with_capacity(width + height);
        let ptr = cells.as_mut_ptr();
        mem::forget(cells);
        let len = width * height;
        Grid { width, len, ptr }
    }

    fn put(&mut self, x: usize, y: usize, value: u64) {
        let at = y * self.width + x;
        if at < self.len {
            unsafe { *self.ptr.add(at) = value };
        }
    }

    fn fill(&mut self, value: u64) {
        for y in 0..self.len / self.width {
            for x in 0..self.width {
                self.put(x, y, value + x as u64);
            }
        }
    }
}

struct Sheet {
    grid: Grid,
    style: Box<Style>,
    title: String,
}

impl Sheet {
    fn new(width: usize, height: usize, title: &str) -> Sheet {
        let grid = Grid::new(width, height);
        let style = Box::new(Style { name: "plain", weight: Box::new(Box::new(400)), uses: 0 });
        Sheet { grid, style, title: title.to_string() }
    }
}

#[inline(never)]
fn heavy(style: &Style) -> bool {
    **style.weight > 600
}

#[inline(never)]
fn draw(sheet: &mut Sheet) -> usize {
    sheet.style.uses += 1;
    let mut drawn = sheet.title.len();
    if heavy(&sheet.style) {
        drawn += sheet.style.name.len();
    }
    drawn
}

fn main() {
    let mut sheet = Sheet::new(6, 4, "totals");
    sheet.grid.fill(0x4040_4040_4040);
    println!("{}", draw(&mut sheet));
}
