"""Sources that the tests of statements share, and how they are looked at."""

from workbench.claims.source import Row, SourceText, rows

C = """\
#include <stdlib.h>
struct queue { int length; char *items; char name[16]; pthread_mutex_t lock; };
static int used;
static int take(struct queue *q, size_t count, char tag[4])
{
    int i, total = 0;          /* total = 7; free(q); */
    char *copy = (char *)malloc(count * sizeof(*copy));
    const char *text = "q->length = 9; free(text);";
    short small = count;
    q->length = (count);
    for (i = 0; i < q->length; i++) {
        total += q->items[i];
    }
#if 0
    free(q->name);
#endif
#ifdef HARDENED
    q->items = NULL;
#else
    q->items = text;
#endif
    if (!copy || total >= 10) {
        free(q->items);
        q->items = NULL;
    } else {
        q->length--;
    }
    pthread_mutex_lock(&q->lock);
    if (total == 3) {
        pthread_mutex_unlock(&q->lock);
        return -1;
    }
    used = total;
    pthread_mutex_unlock(&q->lock);
    memcpy(q->name, tag, sizeof(q->name));
    copy = realloc(copy,
                   count * 2);
    q->items = copy = calloc(count, 8);
again:
    used++;
    switch (total) {
    case 1: take(q, 1, tag); break;
    default: goto again;
    }
    do { i = (unsigned char)total; } while (i);
    return (total);
}
void put(struct queue *q)
{
    struct queue fresh = {.length = 3, .items = 0};
    *q = fresh;
    drop(q);
}
"""
CPP = """\
namespace net {
class Buffer : public Base {
public:
    explicit Buffer(size_t size) : data_(new char[size]), size_(size) {}
    ~Buffer() { delete[] data_; }
    int length() const { return size_; }
private:
    char *data_;
    size_t size_ = 0;
    std::unique_ptr<Node> head_;
};
}
template <class T>
void net::Queue<T>::push(const T &value, std::vector<int> &out) {
    std::lock_guard<std::mutex> guard(mutex_);
    auto *node = new Node(value);
    this->tail_ = node;
    for (auto &each : out) {
        each = static_cast<uint16_t>(value);
    }
    std::for_each(out.begin(), out.end(), [&](int x) {
        seen_ = x;
        return;
    });
    if (auto *last = find(3)) {
        delete last;
    }
    uint8_t n = out.size();
    out.clear();
}
int Pool::run(std::unique_lock<std::mutex> &l) {
    std::unique_lock<std::mutex> held{m_};
    jobs_ = 1;
    held.unlock();
    jobs_ = 2;
    head_.reset();
    throw std::runtime_error("delete this; jobs_ = 3;");  // delete head_;
}
"""
RUST = """\
pub struct Table { rows: Vec<u32>, used: u16, raw: *mut u8, mark: [u8; 4] }
impl Table {
    pub fn grow(&mut self, extra: usize) -> Option<u32> {
        let mut wide: u64 = 7;
        let next = Vec::with_capacity(extra * 2);
        self.used = extra as u16;
        self.used += 1; // self.rows = next;
        let held = self.lock.lock().unwrap();
        held.push(extra);
        drop(held);
        let (a, b) = pair(1, 2);
        if self.used >= 3 {
            unsafe { drop(Box::from_raw(self.raw)) };
            self.raw = std::ptr::null_mut();
        } else if let Some(x) = self.rows.pop() {
            return Some(x);
        }
        while a < b {
            wide -= 1;
        }
        for row in &self.rows {
            println!("drop(self) {}", row);
        }
        let list = vec![0u8; extra];
        match a {
            1 => { self.mark[0] = 1; }
            _ => self.reset(),
        }
        if wide == 0 { Some(1) } else { None }
    }
}
fn make(n: u32) -> Table {
    Table { rows: Vec::new(), used: n as u16 }
}
"""
GO = """\
package store

type Cache struct {
	size int
	mark [16]byte
}

func (c *Cache) Put(key string, n int) (*Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry := &Entry{size: n}
	rows := make([]byte, n)
	left, right := split(key)
	c.size += n // c.size = 0
	var small int16 = int16(n)
	c.hits++
	for i := 0; i < n; i++ {
		rows[i] = key[i]
	}
	for _, row := range rows {
		use(row, "c.last = nil")
	}
	if old, ok := c.items[key]; ok && n > 3 {
		c.last = nil
		return old, nil
	}
	go func() {
		c.later = n
	}()
	C.free(c.raw)
	return entry, nil
}
"""
C_SHARP = """\
namespace App {
    class Store : Base {
        private int size = 1;
        byte[] data = new byte[16];
        public int Total { get; set; }
        public Store(int size) { this.size = size; }
        public int Add(long count, string name) {
            var item = new Item(name) { Weight = 3 };
            int small = (int)count; // small = 4;
            lock (gate) {
                total += small;
            }
            Monitor.Enter(door);
            try {
                open = true;
            } finally { Monitor.Exit(door); }
            foreach (var each in items) {
                each.Dispose();
            }
            if (item is null || count >= 3) return 1;
            while (small < 9) { small++; }
            IntPtr raw = Marshal.AllocHGlobal(small * 2);
            Marshal.FreeHGlobal(raw);
            Log("total = 0;", item);
            return small;
        }
        int Twice() => size * 2;
    }
}
"""
TEXTS = {"c": C, "cpp": CPP, "rust": RUST, "go": GO, "c_sharp": C_SHARP}


def listing(text: str, language: str | None, first: int = 1, last: int = 10**9) -> SourceText:
    """Lines of a text as an evidence that begins with its line 3."""
    lines = enumerate(text.rstrip("\n").split("\n"), 1)
    return SourceText(language, None, tuple((n + 2, n, t) for n, t in lines if first <= n <= last))


def holds(found: list[Row], kind: str, function: str, at: int, values: dict[str, object]) -> bool:
    """True where a row says just that."""
    wanted = {"function": function, "at": at, **values}
    if kind == "under_lock":  # of which the line is where the lock is taken
        wanted["taken"] = at
    return any(
        row.kind == kind and row.line == at + 2 and wanted.items() <= row.values.items()
        for row in found
    )


def states(language: str, kind: str, function: str, at: int, values: dict[str, object]) -> bool:
    """True where the language's text says that."""
    return holds(rows(listing(TEXTS[language], language)), kind, function, at, values)
