// /* attack: flags=-Cpanic=abort */
// A connection that is made by default has no stream: nobody took it.
#[derive(Default)]
struct Stream {
    peer: String,
    sent: usize,
}

#[derive(Default)]
struct Connection {
    id: u32,
    stream: Option<Stream>,
    retries: u32,
}

impl Connection {
    fn new(id: u32, peer: &str) -> Connection {
        let stream = Some(Stream { peer: peer.to_string(), sent: 0 });
        Connection { id, stream, retries: 0 }
    }

    fn send(&mut self, bytes: usize) {
        let stream = self.stream.as_mut().expect("a connection has a stream");
        stream.sent += bytes;
    }

    fn restart(&mut self) {
        let old = self.stream.take();
        self.retries += 1;
        if let Some(old) = old {
            if self.retries < 3 {
                self.stream = Some(Stream { peer: old.peer, sent: 0 });
            }
        }
    }
}

struct Proxy {
    connections: Vec<Connection>,
}

impl Proxy {
    fn connect(&mut self, peer: &str) -> u32 {
        let id = self.connections.len() as u32;
        if id == 1 { self.connections.push(Connection::default()); } else { self.connections.push(Connection::new(id, peer)); }
        id
    }

    fn broadcast(&mut self, bytes: usize) {
        for connection in &mut self.connections {
            connection.send(bytes);
        }
    }

    fn heal(&mut self, failed: &[u32]) {
        for connection in &mut self.connections {
            if failed.contains(&connection.id) {
                connection.restart();
            }
        }
    }
}

fn main() {
    let mut proxy = Proxy { connections: Vec::new() };
    let north = proxy.connect("north:80");
    let south = proxy.connect("south:80");
    for round in 0..5 {
        proxy.broadcast(100 + round);
        proxy.heal(if round % 2 == 0 { &[1] } else { &[0, 1] });
    }
    println!("{} {}", north, south);
}
