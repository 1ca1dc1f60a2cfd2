//! Mails that wait, and the link over which they go.
use std::collections::VecDeque;

struct Link {
    host: String,
    sent: usize,
}

impl Link {
    fn open(host: &str) -> Option<Link> {
        if host.is_empty() {
            return None;
        }
        Some(Link { host: host.to_string(), sent: 0 })
    }

    fn write(&mut self, text: &str) -> Result<usize, String> {
        if text.len() > 40 {
            return Err(format!("{}: too long", self.host));
        }
        self.sent += text.len();
        Ok(text.len())
    }
}

struct Outbox {
    waiting: VecDeque<String>,
    link: Option<Link>,
    failed: Vec<String>,
    bytes: usize,
}

impl Outbox {
    fn new(host: &str) -> Self {
        Outbox { waiting: VecDeque::new(), link: Link::open(host), failed: Vec::new(), bytes: 0 }
    }

    fn add(&mut self, text: &str) {
        self.waiting.push_back(text.to_string());
    }

    fn send(&mut self, text: &str) -> bool {
        let link = self.link.as_mut().unwrap();
        match link.write(text) {
            Ok(n) => {
                self.bytes += n;
                true
            }
            Err(why) => {
                self.failed.push(why);
                self.link = None;
                false
            }
        }
    }

    fn flush(&mut self) -> usize {
        let mut count = 0;
        while let Some(text) = self.waiting.pop_front() {
            if self.send(&text) {
                count += 1;
            }
        }
        count
    }
}

fn main() {
    let mut outbox = Outbox::new("mail.example");
    outbox.add("first");
    outbox.add("second, a little longer");
    println!("{} sent", outbox.flush());
    outbox.add("a text that is so long that no link of this kind takes it");
    outbox.add("last");
    println!("{} sent", outbox.flush());
    println!("{} bytes, {} failed", outbox.bytes, outbox.failed.len());
}
