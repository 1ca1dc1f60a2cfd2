use std::collections::HashMap;

#[derive(Clone)]
struct Track {
    title: String,
    seconds: u32,
}

struct Library {
    tracks: HashMap<u32, Track>,
}

impl Library {
    fn new() -> Self {
        Library { tracks: HashMap::new() }
    }
    fn add(&mut self, id: u32, title: &str, seconds: u32) {
        self.tracks.insert(id, Track { title: title.to_string(), seconds });
    }
}

struct Player {
    queue: Vec<Track>,
    at: usize,
    played: u32,
}

impl Player {
    fn new() -> Self {
        Player { queue: Vec::new(), at: 0, played: 0 }
    }

    fn enqueue(&mut self, library: &Library, id: u32) {
        if let Some(track) = library.tracks.get(&id) {
            self.queue.push(track.clone());
        }
    }

    fn advance(&mut self) {
        self.played += self.current().seconds;
        if self.at + 1 < self.queue.len() {
            self.at += 1;
        }
    }

    fn current(&self) -> &Track {
        &self.queue[self.at]
    }

    fn drop_played(&mut self) {
        self.queue.drain(..self.at);
        self.queue.shrink_to_fit();
    }

    fn remaining(&self) -> u32 {
        self.queue.iter().skip(self.at).map(|track| track.seconds).sum()
    }
}

fn main() {
    let mut library = Library::new();
    for id in 0..12 {
        library.add(id, &format!("track {id}"), 120 + id * 7);
    }
    let mut player = Player::new();
    for id in 0..6 {
        player.enqueue(&library, id);
    }
    for _ in 0..4 {
        player.advance();
    }
    player.drop_played();
    println!("{} left, {} s played", player.remaining(), player.played);
    println!("now: {}", player.current().title);
    player.advance();
}
