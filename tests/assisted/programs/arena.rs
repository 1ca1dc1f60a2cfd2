// Entities of a game: a dense list, and where each name stands in it.
use std::collections::HashMap;

#[derive(Debug, Clone)]
struct Entity {
    name: String,
    health: i32,
    target: Option<String>,
}

struct World {
    entities: Vec<Entity>,
    places: HashMap<String, usize>,
    tick: u64,
}

impl World {
    fn new() -> World {
        World { entities: Vec::new(), places: HashMap::new(), tick: 0 }
    }

    fn spawn(&mut self, name: &str, health: i32) {
        self.places.insert(name.to_string(), self.entities.len());
        self.entities.push(Entity { name: name.to_string(), health, target: None });
    }

    fn aim(&mut self, name: &str, target: &str) {
        if let Some(&at) = self.places.get(name) {
            self.entities[at].target = Some(target.to_string());
        }
    }

    fn remove(&mut self, name: &str) -> Option<Entity> {
        let at = self.places.remove(name)?;
        Some(self.entities.swap_remove(at))
    }

    fn hit(&mut self, name: &str, damage: i32) -> bool {
        let Some(&at) = self.places.get(name) else {
            return false;
        };
        let entity = &mut self.entities[at];
        entity.health -= damage;
        entity.health <= 0
    }

    fn step(&mut self) {
        self.tick += 1;
        let shots: Vec<(String, String)> = self
            .entities
            .iter()
            .filter_map(|one| one.target.clone().map(|target| (one.name.clone(), target)))
            .collect();
        for (from, target) in shots {
            if self.hit(&target, 30) {
                println!("{}: {} removes {}", self.tick, from, target);
                self.remove(&target);
            }
        }
    }
}

fn main() {
    let mut world = World::new();
    world.spawn("orc", 60);
    world.spawn("elf", 100);
    world.spawn("troll", 200);
    world.aim("elf", "orc");
    world.aim("troll", "elf");
    world.aim("orc", "troll");
    for _ in 0..3 {
        world.step();
    }
    world.aim("elf", "troll");
    world.step();
    println!("{} left", world.entities.len());
}
