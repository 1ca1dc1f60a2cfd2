struct Route { prefix: String, gateway: u32, metric: u32 }
struct Table { routes: Vec<Route>, hits: u32 }

impl Table {
    fn new() -> Table { Table { routes: Vec::new(), hits: 0 } }
    fn add(&mut self, prefix: &str, gateway: u32, metric: u32) {
        self.routes.push(Route { prefix: prefix.to_string(), gateway, metric });
    }
    fn best(&self, address: &str) -> Option<&Route> {
        let mut found: Option<&Route> = None;
        for route in &self.routes {
            if address.starts_with(&route.prefix) {
                found = match found {
                    Some(old) if old.metric <= route.metric => Some(old),
                    _ => Some(route),
                };
            }
        }
        found
    }
    fn exact(&self, prefix: &str) -> Option<&Route> {
        for route in &self.routes {
            if route.prefix == prefix {
                return Some(route);
            }
        }
        None
    }
}

fn forward(table: &mut Table, address: &str) -> u32 {
    table.hits += 1;
    if table.best(address).is_none() { return 0; }
    let route = table.exact(address).unwrap();
    route.gateway
}

fn main() {
    let mut t = Table::new();
    t.add("10.", 1, 5);
    t.add("10.1.", 2, 3);
    println!("{}", forward(&mut t, "10.1."));
    println!("{}", forward(&mut t, "10.1.2"));
}
