/* attack: flags=-Copt-level=0 -Cpanic=abort */
// Cars of a lot: what is moved by a removal is told its place, one step too far.
use std::collections::HashMap;

struct Car {
    plate: String,
    fee: u32,
}

struct Lot {
    cars: Vec<Car>,
    places: HashMap<String, usize>,
}

impl Lot {
    fn enter(&mut self, plate: &str) {
        let at = self.cars.len();
        self.cars.push(Car { plate: plate.to_string(), fee: 0 });
        self.places.insert(plate.to_string(), at);
    }

    fn leave(&mut self, plate: &str) -> u32 {
        let Some(at) = self.places.remove(plate) else {
            return 0;
        };
        let gone = self.cars.swap_remove(at);
        if let Some(moved) = self.cars.get(at) {
            if let Some(place) = self.places.get_mut(&moved.plate) {
                *place = at + 2; // /*!*/
            }
        }
        gone.fee
    }

    fn charge(&mut self, plate: &str, fee: u32) {
        let Some(&at) = self.places.get(plate) else {
            return;
        };
        self.cars[at].fee += fee;
    }
}

fn main() {
    let mut lot = Lot { cars: Vec::new(), places: HashMap::new() };
    for plate in ["A 1", "B 2", "C 3"] {
        lot.enter(plate);
        lot.charge(plate, 3);
    }
    println!("{}", lot.leave("A 1"));
    lot.charge("B 2", 2);
    lot.charge("C 3", 2);
}
