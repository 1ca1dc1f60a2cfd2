struct Palette {
    colours: Vec<u32>,
    name: String,
}

struct Picture {
    width: usize,
    height: usize,
    bytes: *mut u8,
    size: usize,
}

struct Layer {
    picture: Picture,
    palette: Box<Palette>,
    opacity: u8,
}

impl Picture {
    fn new(width: usize, height: usize) -> Picture {
        let size = width * height;
        let mut data: Vec<u8> = Vec::with_capacity(size);
        let bytes = data.as_mut_ptr();
        std::mem::forget(data);
        Picture { width, height, bytes, size }
    }

    fn fill(&mut self, colour: u32) {
        let words = self.bytes as *mut u32;
        for at in 0..self.width * self.height {
            unsafe { words.add(at).write_unaligned(colour) };
        }
    }

    fn first(&self) -> u8 {
        unsafe { *self.bytes }
    }
}

impl Palette {
    fn new(name: &str, count: usize) -> Palette {
        let colours = (0..count as u32).map(|n| 0x0101_0101 * n).collect();
        Palette { colours, name: name.to_string() }
    }

    #[inline(never)]
    fn weight(&self) -> u64 {
        self.colours.iter().map(|colour| u64::from(*colour)).sum::<u64>() + self.name.len() as u64
    }
}

fn layer(width: usize, height: usize, name: &str) -> Layer {
    let picture = Picture::new(width, height);
    let palette = Box::new(Palette::new(name, 16));
    Layer { picture, palette, opacity: 200 }
}

struct Stack {
    layers: Vec<Layer>,
    drawn: usize,
}

impl Stack {
    fn draw(&mut self) -> u64 {
        let mut sum = 0;
        for layer in &self.layers {
            sum += layer.palette.weight() * u64::from(layer.opacity) + u64::from(layer.picture.first());
            self.drawn += 1;
        }
        sum
    }
}

fn main() {
    let mut stack = Stack { layers: Vec::with_capacity(4), drawn: 0 };
    stack.layers.push(layer(12, 9, "sky"));
    stack.layers.push(layer(16, 6, "hills"));
    stack.layers.push(layer(10, 10, "river"));
    println!("{}", stack.draw());
    stack.layers[1].picture.fill(0x4142_4344);
    println!("{} {}", stack.draw(), stack.layers[0].picture.size);
}
