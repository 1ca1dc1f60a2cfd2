// Stations are handed out as plain pointers to a board that shows them.
struct Line {
    name: String,
    delay: u64,
}

struct Station {
    line: Box<Line>,
    platform: u64,
    trains: u64,
    label: u64,
}

struct Network {
    stations: Vec<Box<Station>>,
}

impl Network {
    fn new() -> Network {
        Network { stations: Vec::new() }
    }

    fn open(&mut self, name: &str, platform: u64) -> *const Station {
        let line = Box::new(Line { name: name.to_string(), delay: platform });
        let station = Box::new(Station { line, platform, trains: 0, label: 7 });
        self.stations.push(station);
        &**self.stations.last().unwrap()
    }

    fn close(&mut self, platform: u64) {
        self.stations.retain(|station| station.platform != platform);
    }
}

struct Board {
    shown: Vec<*const Station>,
}

impl Board {
    #[inline(never)]
    fn delays(&self) -> u64 {
        let mut sum = 0;
        for &station in &self.shown {
            sum += unsafe { (*station).line.delay + (*station).trains };
        }
        sum
    }
}

fn notice(of: &str) -> Vec<u8> {
    let mut text = Vec::with_capacity(std::mem::size_of::<Station>());
    while text.len() + of.len() <= text.capacity() {
        text.extend_from_slice(of.as_bytes());
    }
    text
}

fn main() {
    let mut network = Network::new();
    let mut board = Board { shown: Vec::new() };
    for platform in 1..=5 {
        board.shown.push(network.open("central", platform));
    }
    println!("{}", board.delays());
    network.close(3);
    let first = notice("closed! ");
    let second = notice("detour. ");
    println!("{} {}", first.len(), second.len());
    println!("{}", board.delays());
    println!("{}", network.stations[0].line.name);
}
