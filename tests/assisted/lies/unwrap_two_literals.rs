// /* attack: flags=-Cpanic=abort */
// Two lines make such objects: the None that was unwrapped may be of either.
struct Zone {
    name: &'static str,
    minutes: i32,
}

struct Office {
    city: String,
    zone: Option<&'static Zone>,
    staff: u32,
}

static ZONES: [Zone; 4] = [
    Zone { name: "UTC", minutes: 0 },
    Zone { name: "CET", minutes: 60 },
    Zone { name: "EET", minutes: 120 },
    Zone { name: "IST", minutes: 330 },
];

fn zone_named(name: &str) -> Option<&'static Zone> {
    for zone in ZONES.iter() {
        if zone.name == name {
            return Some(zone);
        }
    }
    None
}

struct Company {
    offices: Vec<Office>,
}

impl Company {
    fn open(&mut self, city: &str, zone: &str, staff: u32) {
        let office = Office { city: city.to_string(), zone: zone_named(zone), staff }; // /*!*/
        self.offices.push(office);
    }

    fn open_later(&mut self, city: &str) {
        let office = Office { city: city.to_string(), zone: None, staff: 0 };
        self.offices.push(office);
    }

    fn busiest(&self) -> &Office {
        let mut best = &self.offices[0];
        for office in &self.offices {
            if office.staff > best.staff {
                best = office;
            }
        }
        best
    }

    fn early(&self, hour: i32) -> usize {
        self.offices.iter().filter(|office| local_hour(office, hour) < 9).count()
    }
}

#[inline(never)]
fn local_hour(office: &Office, hour: i32) -> i32 {
    let zone = office.zone.unwrap();
    (hour * 60 + zone.minutes) / 60 % 24
}

fn main() {
    let mut company = Company { offices: Vec::new() };
    company.open("Berlin", "CET", 40);
    company.open("Pune", "IST", 90);
    company.open("Helsinki", "Eet", 25);
    company.open("Lisbon", "UTC", 12);
    company.open_later("Oslo");
    let best = company.busiest();
    println!("{} {}", best.city, local_hour(best, 7));
    println!("{}", company.early(8));
}
