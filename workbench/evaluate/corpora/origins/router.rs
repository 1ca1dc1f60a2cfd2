// A table of ports is looked up by a number that was worked out elsewhere. flags: -g -Cpanic=abort
struct Port { name: String, load: u32 }
struct Router { ports: Vec<Port>, routes: Vec<usize>, salt: u32 }

impl Router {
    fn new(count: usize) -> Self {
        let ports = (0..count).map(|n| Port { name: format!("port{n}"), load: 0 }).collect();
        Router { ports, routes: Vec::new(), salt: 7 }
    }

    #[inline(never)]
    fn route_of(&self, key: u32) -> usize {
        let mixed = key.wrapping_mul(2654435761).rotate_left(self.salt);
        (mixed % (self.ports.len() as u32 + 1)) as usize // origin router::Router::route_of
    }

    #[inline(never)]
    fn learn(&mut self, keys: &[u32]) {
        for key in keys {
            let route = self.route_of(*key);
            self.routes.push(route);
        }
    }

    #[inline(never)]
    fn send(&mut self, packet: usize) -> u32 {
        let at = self.routes[packet % self.routes.len()];
        let port = &mut self.ports[at];
        port.load += port.name.len() as u32;
        port.load
    }
}

fn main() {
    let mut router = Router::new(5);
    let keys: Vec<u32> = (1..40).map(|n| n * 17).collect();
    router.learn(&keys);
    let mut sum = 0;
    for packet in 0..200 {
        sum += router.send(packet);
    }
    println!("{sum}");
}
