use std::collections::HashMap;

struct Buffer {
    name: String,
    lines: Vec<String>,
    dirty: bool,
}

struct Editor {
    buffers: HashMap<u32, Buffer>,
    active: Option<u32>,
    saved: usize,
    next: u32,
}

impl Editor {
    fn new() -> Editor {
        Editor { buffers: HashMap::new(), active: None, saved: 0, next: 1 }
    }

    fn open(&mut self, name: &str) -> u32 {
        let id = self.next;
        self.next += 1;
        let buffer = Buffer { name: name.to_string(), lines: Vec::new(), dirty: false };
        self.buffers.insert(id, buffer);
        self.active = Some(id);
        id
    }

    fn insert(&mut self, line: &str) {
        let id = self.active.unwrap();
        let buffer = self.buffers.get_mut(&id).expect("an open buffer");
        buffer.lines.push(line.to_string());
        buffer.dirty = true;
    }

    fn save(&mut self) {
        let id = self.active.expect("nothing is open");
        let buffer = self.buffers.get_mut(&id).unwrap();
        if buffer.dirty {
            buffer.dirty = false;
            self.saved += buffer.lines.len();
        }
    }

    fn close(&mut self, id: u32) {
        if let Some(buffer) = self.buffers.remove(&id) {
            println!("closed {}", buffer.name);
        }
        if self.active == Some(id) {
            self.active = None;
        }
    }

    fn title(&self) -> String {
        let id = self.active.unwrap();
        format!("{} ({} saved)", self.buffers[&id].name, self.saved)
    }
}

fn run(editor: &mut Editor, commands: &[&str]) {
    for command in commands {
        let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
        match word {
            "open" => {
                editor.open(rest);
            }
            "type" => editor.insert(rest),
            "save" => editor.save(),
            "close" => editor.close(rest.parse().unwrap_or(0)),
            _ => println!("{}", editor.title()),
        }
    }
}

fn main() {
    let mut editor = Editor::new();
    let commands = ["open notes", "type hello", "save", "open todo", "type milk", "save", "close 2", "title"];
    run(&mut editor, &commands);
}
