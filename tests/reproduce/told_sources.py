"""Small programs, each of one reason that an origin is told right or left open: the line that is
to be told carries ``told`` in a comment; where none does, no run shows it."""

ARENA = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct arena { char *base; size_t used; };
struct rule { long (*run)(long); long by; };
static struct arena arena;
static struct rule *kept;
static long twice(long value) { return 2 * value; }
static void *take(struct arena *from, size_t size)
{
    void *given = from->base + from->used;
    from->used += (size + 15) & ~15ul;
    return given;
}
static struct rule *rule(void)
{
    struct rule *made = take(&arena, sizeof *made);
    made->run = twice;
    return made;
}
static void show(long value) { memset(take(&arena, 64), 'a' + (int)value, 64); }
static void back(size_t mark) { arena.used = mark; }
static void line(int number)
{
    size_t mark = arena.used;
    if (number == 1)
        kept = rule();
    else
        show(number);
    back(mark); /* told */
}
int main(void)
{
    arena.base = malloc(4096);
    for (int number = 1; number < 4; number++)
        line(number);
    return (int)kept->run(3);
}
"""

SLOTS = """
#include <string.h>
struct task { int id; void (*run)(struct task *); };
static struct task tasks[4], *later;
static unsigned char places[4] = {3, 2, 1, 0};
static unsigned left = 4;
static void work(struct task *one) { one->id++; }
static struct task *get(void) { return &tasks[places[--left]]; }
static void put(struct task *one)
{
    memset(one, 0, sizeof *one);
    places[left++] = (unsigned char)(one - tasks);
}
static struct task *begin(void)
{
    struct task *one = get();
    one->run = work;
    return one;
}
static void end(struct task *one)
{
    put(one); /* told */
}
int main(void)
{
    later = begin();
    begin()->run(later);
    end(later);
    later->run(later);
    return 0;
}
"""

BELOW = """
#include <stdlib.h>
#include <string.h>
struct part { const char *from; size_t length; };
static char text[8192];
static void measure(struct part *part, const char *end)
{
    part->length = (size_t)(end - part->from) - 2; /* told */
}
static char *copied(const struct part *part)
{
    char *made = malloc(64);
    memcpy(made, part->from, part->length);
    return made;
}
int main(void)
{
    struct part one = {text + 4096, 0}, two = {text + 4096, 0};
    measure(&one, text + 4100);
    measure(&two, text + 4097);
    free(copied(&one));
    free(copied(&two));
    return 0;
}
"""

LIVES = """
#include <stdlib.h>
#include <string.h>
struct view { int *(*at)(struct view *); int value; char rest[40]; };
static struct view *seen;
static int *value(struct view *one) { return &one->value; }
static void drop(struct view *one)
{
    free(one); /* told */
}
static void note(int letter)
{
    char *text = malloc(sizeof(struct view));
    memset(text + 16, letter, 32);
    *(long *)text = 0x4141414141414141;
    free(text);
    memset(malloc(24), letter, 24);
}
int main(void)
{
    seen = calloc(1, sizeof *seen);
    seen->at = value;
    drop(seen);
    note('a');
    note('b');
    return *seen->at(seen);
}
"""

PAIR = """
#include <stdlib.h>
struct value { long kind; long *item; };
static struct value stack[8];
static long deep, one = 1;
static struct value pop(void) { return stack[--deep]; }
static void push(struct value value) { stack[deep++] = value; }
static void clear(int at)
{
    stack[at].item = NULL; /* told */
}
int main(int count, char **words)
{
    for (int at = 0; at < 3 + (words == NULL); at++)
        push((struct value){count, &one});
    clear(count);
    long sum = 0;
    while (deep > 0)
        sum += *pop().item;
    return (int)sum;
}
"""

OWNER = """
#include <cstring>
#include <vector>
struct Note { std::vector<int *> items; };
struct Holder {
    Note *note;
    explicit Holder(int *item) : note(new Note{std::vector<int *>(9, item)}) {}
    ~Holder()
    {
        delete note; /* told */
    }
};
static int number, **shown;
static void show(Holder *holder) { shown = holder->note->items.data(); }
static void end(Holder *holder) { delete holder; }
int main()
{
    Holder *holder = new Holder(&number);
    show(holder);
    end(holder);
    for (int turn = 0; turn < 4; turn++)
        std::memset(new char[72], 'a', 72);
    return *shown[4];
}
"""

TWO_NULL = """
#include <stdlib.h>
struct node { struct node *left, *right; int key; };
static struct node *make(int key)
{
    struct node *made = malloc(sizeof *made);
    made->left = made->right = NULL;
    made->key = key;
    return made;
}
static int least(const struct node *from) { return from->left->key; }
int main(int count, char **words) { return least(make(count + (words == NULL))); }
"""

COUNTED = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static unsigned seen, lengths[] = {9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000};
static uint16_t needed(void)
{
    unsigned sum = 1, mixed = 5381;
    for (int at = 0; at < 8; at++) {
        mixed = 33 * mixed + lengths[at];
        sum += lengths[at];
    }
    seen = mixed;
    return (uint16_t)sum; /* told */
}
int main(void)
{
    char *text = malloc(needed());
    char *to = text;
    for (int at = 0; at < 8; at++)
        to = (char *)memset(to, 'x', (size_t)lengths[at]) + lengths[at];
    free(malloc(100000));
    free(text);
    return 0;
}
"""

PANIC = """
struct Window { rows: Vec<u32>, first: usize }
impl Window {
    #[inline(never)]
    fn scroll(&mut self, by: isize) {
        self.first = self.first.wrapping_add_signed(by); // told
    }
    #[inline(never)]
    fn top(&self) -> u32 { self.rows[self.first] }
}
fn main() {
    let mut window = Window { rows: vec![1; 8], first: 2 };
    for by in [3, -4, -2] {
        window.scroll(by);
        println!("{}", window.top());
    }
}
"""

AGAIN = """
#include <stdlib.h>
#include <string.h>
struct pair { char *key, *value; };
static struct pair pairs[3];
static int add(struct pair *pair, const char *text)
{
    pair->key = strdup(text);
    if (text[0] == '?') {
        free(pair->key); /* told */
        return -1;
    }
    pair->value = strdup(text);
    return 0;
}
static void end(struct pair *pair)
{
    free(pair->value);
    free(pair->key);
}
int main(void)
{
    static const char *const texts[] = {"one", "?", "two"};
    for (int at = 0; at < 3; at++)
        add(&pairs[at], texts[at]);
    for (int at = 0; at < 3; at++)
        end(&pairs[at]);
    return 0;
}
"""

NARROWED = """
#include <stdlib.h>
static volatile double factor = 0.75;
static int rest(int value, double by)
{
    return value % (int)by; /* told */
}
int main(int count, char **words) { return rest(100 * count, factor) + (words == NULL); }
"""

SLAB = """
use std::alloc::{alloc, dealloc, Layout};
struct Slab { base: *mut u8, size: usize, used: usize }
#[repr(C)]
struct Item { next: *mut Item, value: u64, name: *const u8, len: usize }
impl Slab {
    fn new(size: usize) -> Slab {
        Slab { base: unsafe { alloc(Layout::from_size_align(size, 16).unwrap()) }, size, used: 0 }
    }
    #[inline(never)]
    fn grow(&mut self) {
        let bigger = Slab::new(self.size * 2);
        unsafe {
            std::ptr::copy_nonoverlapping(self.base, bigger.base, self.used);
            dealloc(self.base, Layout::from_size_align(self.size, 16).unwrap()); // told
        }
        self.base = bigger.base;
        self.size = bigger.size;
    }
    #[inline(never)]
    fn take(&mut self, size: usize) -> *mut u8 {
        if self.used + size > self.size { self.grow() }
        let at = unsafe { self.base.add(self.used) };
        self.used += size;
        at
    }
}
#[inline(never)]
fn push(slab: &mut Slab, head: *mut Item, value: u64, name: &'static str) -> *mut Item {
    let item = slab.take(std::mem::size_of::<Item>()) as *mut Item;
    unsafe { item.write(Item { next: head, value, name: name.as_ptr(), len: name.len() }) }
    item
}
#[inline(never)]
fn total(mut item: *const Item) -> u64 {
    let mut sum = 0;
    unsafe {
        while !item.is_null() {
            let name = std::slice::from_raw_parts((*item).name, (*item).len);
            sum += (*item).value + name.iter().map(|b| *b as u64).sum::<u64>();
            item = (*item).next;
        }
    }
    sum
}
fn main() {
    let mut slab = Slab::new(128);
    let mut head = std::ptr::null_mut();
    for (i, name) in ["ant", "bee", "cow", "dog", "eel", "fox"].iter().enumerate() {
        head = push(&mut slab, head, i as u64, name);
        let noise = vec![0xAAu8; 128];
        std::hint::black_box(&noise);
    }
    println!("{}", total(head));
}
"""

CLIP = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct rect { int16_t x, y, w, h; };
struct canvas { int width, height; uint32_t *pixels; struct rect clip; };
static struct rect meet(struct rect a, struct rect b)
{
    struct rect r;
    r.x = a.x > b.x ? a.x : b.x;
    r.y = a.y > b.y ? a.y : b.y;
    r.w = (int16_t)((a.x + a.w < b.x + b.w ? a.x + a.w : b.x + b.w) - r.x);
    r.h = (int16_t)((a.y + a.h < b.y + b.h ? a.y + a.h : b.y + b.h) - r.y);
    return r;
}
static void fill(struct canvas *c, struct rect r, uint32_t colour)
{
    struct rect in = meet(r, c->clip);
    for (int y = in.y; y < in.y + in.h; y++)
        for (int x = in.x; x < in.x + in.w; x++)
            c->pixels[y * c->width + x] = colour;
}
static struct rect grown(struct rect r, int by)
{
    r.x = (int16_t)(r.x - by);
    r.y = (int16_t)(r.y - by);
    r.w = (int16_t)(r.w + 2 * by);
    r.h = (int16_t)(r.h + 2 * by);
    return r;
}
static void set_clip(struct canvas *c, struct rect r) { c->clip = r; }
int main(void)
{
    struct canvas c = {320, 200, calloc(320 * 200, 4), {0, 0, 320, 200}};
    struct rect button = {20, 20, 60, 30};
    fill(&c, button, 1);
    set_clip(&c, grown(button, 4));
    fill(&c, (struct rect){0, 0, 320, 200}, 2);
    set_clip(&c, grown((struct rect){2, 2, 300, 190}, 2000));
    fill(&c, grown(button, 1000), 3);
    printf("%u\n", c.pixels[320 * 30 + 30]);
    free(c.pixels);
    return 0;
}
"""

AGAIN_NULL = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct conf { int level; char *path; };
static char *env(const char *name)
{
    return getenv(name); // told
}
static void load(struct conf *c)
{
    c->level = 3;
    c->path = env("NO_SUCH_NAME_AT_ALL");
}
static int length(struct conf *c)
{
    int n = 0;
    while (c->path[n]) n++;
    return n;
}
int main(void)
{
    struct conf c = {0};
    load(&c);
    printf("%d\\n", length(&c));
    return 0;
}
"""

TICKETS = """
struct Ticket { name: String, weight: u32 }
struct Board { slots: Vec<Option<Ticket>>, order: Vec<usize> }
impl Board {
    fn new(size: usize) -> Board {
        Board { slots: (0..size).map(|_| None).collect(), order: Vec::new() }
    }
    #[inline(never)]
    fn place(&mut self, at: usize, weight: u32) {
        self.slots[at] = Some(Ticket { name: "one".to_string(), weight });
        self.order.push(at);
    }
    #[inline(never)]
    fn finish(&mut self, at: usize) -> u32 {
        self.slots[at].take().map_or(0, |one| one.weight) // %s
    }
    #[inline(never)]
    fn weight_of(&self, at: usize) -> u32 {
        let one = self.slots[at].as_ref().unwrap();
        one.weight + one.name.len() as u32
    }
    #[inline(never)]
    fn weight(&self) -> u32 { self.order.iter().map(|at| self.weight_of(*at)).sum() }
}
fn main() {
    let mut board = Board::new(8);
    for at in 0..4 { board.place(at, 3) }
    let done = %s;
    println!("{} {:?}", board.weight(), done);
}
"""
TAKEN = TICKETS % ("told", "board.finish(2)")
NOT_PLACED = TICKETS % ("", "board.order.push(6)")

FILTERS = """
#include <stdlib.h>
#include <string.h>
struct filter { int (*keep)(int); struct filter *next; };
struct session { int id; char peer[28]; struct filter *filters; };
static int even(int number) { return number % 2 == 0; }
static void greet(int id)
{
    char *text = malloc(sizeof(struct session));
    memset(text, 'A' + id, sizeof(struct session));
    free(text);
}
static struct session *session(int id)
{
    struct session *made = malloc(sizeof *made); /* told */
    memset(made, sizeof *made, 0);
    made->id = id;
    strcpy(made->peer, "host.example");
    return made;
}
static void add(struct session *to, int (*keep)(int))
{
    struct filter *made = malloc(sizeof *made);
    made->keep = keep;
    made->next = to->filters;
    to->filters = made;
}
static int passes(const struct session *one, int number)
{
    for (const struct filter *at = one->filters; at; at = at->next)
        if (!at->keep(number))
            return 0;
    return 1;
}
int main(void)
{
    greet(1);
    struct session *one = session(7);
    add(one, even);
    add(one, even);
    return passes(one, 4);
}
"""

PICK = """#include <string.h>
struct seller { const char *name; int asked; };
struct offer { int good, price; struct seller *seller; };
struct choice { int price; int count; int prices[6]; struct seller *seller; };
static struct seller sellers[2] = {{"north", 0}, {"south", 0}};
static struct offer offers[] = {
    {1, 30, &sellers[0]}, {1, 25, &sellers[1]}, {2, 70, &sellers[1]}, {4, 99, &sellers[1]},
};
__attribute__((noinline)) static int noise(int seed)
{
    volatile char room[256];
    memset((char *)room, 0x5c, sizeof room);
    return room[seed & 127];
}
__attribute__((noinline)) static void choose(int good, struct choice *out)
{
    struct choice best;
    best.price = 1 << 30;
    best.count = 0;
    for (unsigned i = 0; i < sizeof offers / sizeof *offers; i++) {
        if (offers[i].good != good)
            continue;
        best.prices[best.count++] = offers[i].price;
        if (offers[i].price < best.price) {
            best.price = offers[i].price;
            best.seller = offers[i].seller;
        }
    }
    *out = best;
}
__attribute__((noinline)) static int tell(struct choice *made)
{
    made->seller->asked++;
    return made->price;
}
int main(void)
{
    struct choice chosen[4];
    int sum = 0;
    for (int good = 1; good < 4; good++) {
        sum += noise(good);
        choose(good, &chosen[good]);
    }
    for (int good = 1; good < 4; good++)
        sum += tell(&chosen[good]);
    return sum;
}
"""

# A semaphore counts what there is: who waited for it before holds nothing.
SIGNALLED = """
#include <pthread.h>
#include <semaphore.h>
static sem_t slots, items;
static void *fill(void *none)
{
    for (int i = 0; i < 10; i++) {
        sem_wait(&slots);
        sem_post(&items);
    }
    return none;
}
static void *drain(void *none)
{
    for (int i = 0; i < 10; i++)
        sem_wait(&items);
    return none;
}
int main(void)
{
    pthread_t one, other;
    sem_init(&slots, 0, 4);
    sem_init(&items, 0, 0);
    pthread_create(&one, 0, fill, 0);
    pthread_create(&other, 0, drain, 0);
    pthread_join(one, 0);
    return pthread_join(other, 0);
}
"""
JUMPED = """
#include <setjmp.h>
#include <stddef.h>
struct cleanup { struct cleanup *before; void (*call)(void *); void *what; };
static struct cleanup *cleanups;
static jmp_buf out;
static int closed;
static void end(void *what) { closed += *(int *)what; }
static void push(struct cleanup *one, void *what)
{
    one->before = cleanups;
    one->call = end;
    one->what = what;
    cleanups = one;
}
static void pop(void)
{
    struct cleanup *one = cleanups;
    cleanups = one->before;
    one->call(one->what);
}
static int read_block(const char *bytes)
{
    struct cleanup here;
    int file = 3;
    push(&here, &file); /* told */
    for (; *bytes; bytes++)
        if (*bytes == '!')
            longjmp(out, 1);
    pop();
    return file;
}
int main(void)
{
    static const char *const blocks[] = {"abc", "de!f", "gh", "ij"};
    for (volatile int at = 0; at < 4; at++)
        if (setjmp(out) == 0)
            read_block(blocks[at]);
    while (cleanups != NULL)
        pop();
    return closed;
}
"""

SHARED = """
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
struct table { int next[16]; long sums[16]; };
static void prepare(struct table *one) { for (int at = 0; at < 16; at++) one->next[at] = 15 - at; }
static void spoil(struct table *one) { one->next[9] -= 1 << 29; }
static long walk(struct table *one)
{
    long sum = 0;
    for (int at = 0; at < 16; at++)
        sum += one->sums[one->next[at]]++;
    return sum;
}
int main(void)
{
    struct table *one = mmap(0, sizeof *one, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                             -1, 0);
    prepare(one);
    if (fork() == 0) {
        spoil(one);
        _exit(0);
    }
    wait(0);
    return (int)walk(one);
}
"""

PAIRS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct place { int column, row; };
struct grid { int width; int *cells; };
static int weigh(const char *line)
{
    unsigned char sums[48];
    memset(sums, 0x6b, sizeof sums);
    for (int at = 0; line[at]; at++)
        sums[at % 48] ^= (unsigned char)line[at];
    return sums[7];
}
static struct place parse(const char *line)
{
    struct place made;
    sscanf(line, "%d %d", &made.column, &made.row);
    return made;
}
static void mark(struct grid *grid, struct place at)
{
    grid->cells[(long)at.row * grid->width + at.column]++;
}
int main(void)
{
    static const char *const lines[] = {"1 2", "3 1", "7", "2 2"};
    struct grid grid = {8, calloc(32, sizeof(int))};
    int sum = 0;
    for (int at = 0; at < 4; at++) {
        sum += weigh(lines[at]);
        mark(&grid, parse(lines[at]));
    }
    return sum;
}
"""

NO_NAME = """
struct Node { name: Box<str>, weight: u64 }
struct Table { nodes: Vec<Node> }
impl Table {
    #[inline(never)]
    fn forget(&mut self, at: usize) {
        self.nodes[at].name = Default::default(); // told
    }
    #[inline(never)]
    fn weight(&self) -> u64 {
        self.nodes.iter().map(|node| node.weight + u64::from(node.name.as_bytes()[0])).sum()
    }
}
fn main() {
    let names = ["elm", "oak", "fir", "ash"];
    let mut table = Table { nodes: Vec::new() };
    for name in names { table.nodes.push(Node { name: name.into(), weight: 2 }) }
    let first = table.weight();
    table.forget(2);
    println!("{} {}", first, table.weight());
}
"""

BUDGET = """
#include <assert.h>
struct budget { long limit, used; };
static void spend(struct budget *one, long amount) { one->used += amount; }
static void shrink(struct budget *one, long percent)
{
    one->limit = one->limit / 100 * percent; /* %s */
}
static long left(const struct budget *one)
{
    assert(one->used <= one->limit);
    return one->limit - one->used;
}
int main(void)
{
    struct budget one = {480, 0}, other = {50, 3};
    for (int day = 1; day < 6; day++)
        spend(&one, 3 * day);
    long sum = left(&one);
    shrink(&one, 10);
    %s
    return (int)(sum + left(&other) + left(&one));
}
"""
MOVED_OUT = """
#include <cstdio>
#include <memory>
#include <vector>
struct widget {
    std::vector<std::unique_ptr<widget>> kids;
    int z = 1;
    std::unique_ptr<widget> take(int i) {
        auto k = std::move(kids[i]);  // told
        return k;
    }
    int total() const {
        int n = z;
        for (auto &k : kids)
            n += k->total();
        return n;
    }
};
int main() {
    widget root;
    root.kids.push_back(std::make_unique<widget>());
    auto moved = root.take(0);
    std::printf("%d\\n", root.total());
}
"""
SHRUNK = BUDGET % ("told", "")
SHRUNK_AND_SPENT = BUDGET % ("", "spend(&one, 1);")

VIEW = """
#include <string>
#include <string_view>
#include <vector>
struct Row { std::string_view name; int count; };
struct Table {
    std::vector<Row> rows;
    void add(const std::string &group, const std::string &part, int count)
    {
        rows.push_back({group + "/" + part + " of the first table", count});
    }
    int column(const Row &row) const { return row.name[3] - 'a'; }
    long spread()
    {
        static int columns[26];
        for (const Row &row : rows) columns[column(row) * 65536] += row.count;
        return columns[0];
    }
};
int main()
{
    Table table;
    int count = 1;
    for (const char *part : {"axle", "bolt", "cord", "disc"}) table.add("aaaaaa", part, count++);
    std::string other(64, 'z');
    return static_cast<int>(table.spread() + static_cast<long>(other.size()));
}
"""

NO_MODE = """
#include <string.h>
static const char *mode = "careless";
static int ways[3];
static int number(void)
{
    static const char *const modes[] = {"slow", "fast", "careful"};
    int found = -1;
    for (int at = 0; at < 3; at++)
        if (strcmp(mode, modes[at]) == 0)
            found = at;
    return ways[found * 10000000];
}
int main(void) { return number(); }
"""

PART = """
#include <cstdio>
#include <cstring>
static const int two = 2;
struct Scale { const int *by = &two; long left = 0; };
struct Device {
    int last = 0, room[12] = {0};
    Scale *scale = new Scale;
    ~Device() { delete scale; }
};
static Device *device;
static char *text;
static void close()
{
    delete device; // told
    text = static_cast<char *>(std::memset(new char[sizeof(Scale)], 'x', sizeof(Scale)));
}
static int feed(Device *to, int raw)
{
    if (raw > 9)
        close();
    return to->last = raw * *to->scale->by;
}
int main()
{
    device = new Device;
    std::printf("%d\\n", feed(device, 3));
    std::printf("%d\\n", feed(device, 12));
    return text != nullptr;
}
"""

KEPT_TOO = """
#include <stdlib.h>
struct route { int hops; };
struct message { struct message *next; int size; const struct route *route; };
static const struct route home = {1}, away = {4};
static struct message room[8], *spare, *kept[8];
static unsigned waiting;
static int hops;
static inline struct message *take(int size, const struct route *route)
{
    struct message *one = spare;
    spare = one->next;
    one->size = size;
    one->route = route;
    return one;
}
static inline void give(struct message *one)
{
    one->next = spare;
    spare = one;
}
static int refused(struct message *one)
{
    if (one->size < 24)
        return 0;
    give(one); /* told */
    return 1;
}
__attribute__((noinline)) static void send(int size, const struct route *route)
{
    struct message *one = take(size, route);
    if (route == NULL || refused(one)) {
        kept[waiting++] = one;
        return;
    }
    hops += one->route->hops;
    give(one);
}
int main(void)
{
    for (int at = 0; at < 8; at++)
        give(&room[at]);
    send(5, &home);
    send(40, &away);
    send(9, NULL);
    return kept[0]->route->hops + hops;
}
"""

SORTED = """
#include <stdlib.h>
#include <string.h>
struct team { const char *name; int points, goals; };
static int by_points(const void *one, const void *other)
{
    return ((const struct team *)one)->points - ((const struct team *)other)->points;
}
static size_t rank(struct team *teams, size_t count)
{
    qsort(teams, sizeof *teams, count, by_points);
    return strlen(teams[0].name) + strlen(teams[1].name);
}
int main(void)
{
    struct team *teams = calloc(8, sizeof *teams);
    for (int at = 0; at < 7; at++)
        teams[at] = (struct team){"a team", at * 5 % 4, at};
    return (int)rank(teams, 7);
}
"""

LIVES_OF_TEXT = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int rows[26], *table[26 << 16];
static const char *kept[4];
static char *joined(const char *one, const char *other)
{
    char *text = malloc(64);
    snprintf(text, 64, "%s/%s", one, other);
    return text;
}
static void add(int at, const char *name)
{
    char *text = joined("root", name);
    const char *part = text + 20;
    free(text); /* told */
    kept[at] = part;
}
int main(void)
{
    for (int at = 0; at < 26; at++)
        table[at] = rows;
    for (int at = 0; at < 4; at++)
        add(at, "a name that is longer than that");
    char *note = memset(malloc(64), 0xf0, 64);
    int sum = *table[(unsigned char)kept[2][0] * 65536];
    return sum + note[3];
}
"""

BLANKS = """
#include <stdlib.h>
#include <string.h>
static char *shown(const char *from)
{
    char *made = malloc(24), *at = made;
    for (; *from != 0; from++)
        if (*from == '.')
            at = (char *)memset(at, ' ', 8) + 8; /* told */
        else
            *at++ = *from;
    *at = 0;
    return made;
}
int main(void)
{
    char *one = shown("a.b.c.defghijk"), *other = malloc(24);
    free(other);
    free(one);
    return malloc(2000) == NULL;
}
"""

GONE_BACK = """
#include <stdlib.h>
struct scope { int vars; };
struct state { const char *at; struct scope *scope; long line, depth; };
struct reader { struct state now, marks[4]; int marked; };
static void copy(const struct state *from, struct state *to) { *to = *from; }
static void forget(struct reader *r) { copy(&r->marks[r->marked--], &r->now); }
static int declare(struct reader *r) { return ++r->now.scope->vars; }
int main(void)
{
    struct reader r = {.now = {"text", calloc(1, sizeof(struct scope)), 1, 0}};
    copy(&r.now, &r.marks[r.marked++]);
    forget(&r);
    return declare(&r);
}
"""

HOISTED = """
#include <stdint.h>
#include <stdlib.h>
struct image { uint32_t w, h; uint32_t *px; };
static int made(struct image *im, uint32_t w, uint32_t h)
{
    uint32_t size = w * h * 4;
    im->px = malloc(size); /* told */
    im->w = w;
    im->h = h;
    return im->px != NULL;
}
static void fill(struct image *im, uint32_t colour)
{
    for (uint32_t y = 0; y < im->h; y++)
        for (uint32_t x = 0; x < im->w; x++)
            im->px[(size_t)y * im->w + x] = colour;
}
int main(int count, char **words)
{
    struct image im;
    uint32_t w = count > 1 ? (uint32_t)atoi(words[1]) : 65536, h = count > 2 ? 7 : 16385;
    if (!made(&im, w, h))
        return 1;
    fill(&im, 0xff00ff00);
    return (int)im.px[3];
}
"""

HOT = """
use std::collections::VecDeque;
struct Channel { name: Box<str>, sent: u64, level: u64, mask: u64 }
struct Hub { channels: VecDeque<Channel>, hot: *const Channel }
impl Hub {
    fn open(&mut self, name: &str) {
        self.channels.push_back(Channel { name: name.into(), sent: 0, level: 1, mask: 7 }); // told
    }
    fn watch(&mut self, at: usize) { self.hot = &self.channels[at]; }
    fn weight(&self) -> u64 {
        let hot = unsafe { &*self.hot };
        hot.sent + hot.name.as_bytes().iter().map(|one| *one as u64 & hot.mask).sum::<u64>()
    }
}
fn label(number: usize) -> String { "x".repeat(156 + number) }
fn main() {
    let mut hub = Hub { channels: VecDeque::with_capacity(4), hot: std::ptr::null() };
    for name in ["news", "mail", "chat"] { hub.open(name); }
    hub.watch(1);
    let before = hub.weight();
    for name in ["logs", "jobs"] { hub.open(name); }
    let labels: Vec<String> = (0..8).map(label).collect();
    println!("{} {} {}", before, hub.weight(), labels.len());
}
"""

COUNTED_LIST = """
#include <stdlib.h>
#include <string.h>
struct order { struct order *next; const char *what; long amount; };
struct queue { struct order *first, *last; unsigned count; };
static void push(struct queue *q, const char *what, long amount)
{
    struct order *made = calloc(1, sizeof *made);
    made->what = what;
    made->amount = amount;
    *(q->first == NULL ? &q->first : &q->last->next) = made;
    q->last = made;
    q->count++;
}
static void cancel(struct queue *q, const char *what)
{
    for (struct order **at = &q->first; *at != NULL;) {
        struct order *one = *at;
        if (strcmp(one->what, what) == 0) {
            *at = one->next;
            free(one);
            q->count--;
        } else {
            at = &one->next;
        }
    }
}
static long total(const struct queue *q)
{
    long sum = 0;
    unsigned left = q->count;
    for (const struct order *one = q->first; left-- > 0; one = one->next)
        sum += one->amount;
    return sum;
}
int main(void)
{
    struct queue q = {0};
    push(&q, "bolts", 40);
    push(&q, "nuts", 60);
    push(&q, "screws", 15);
    cancel(&q, "screws");
    char *note = malloc(24);
    strcpy(note, "they were cancelled");
    push(&q, "nails", 5);
    push(&q, "washers", 9);
    return (int)total(&q);
}
"""

POINTERS_SIZE = """
#include <stdlib.h>
struct job { long id, deadline; const char *owner; struct job *next; };
static struct job *job(long id, struct job *next)
{
    struct job *made = malloc(sizeof made); /* told */
    made->id = id;
    made->deadline = 100 - id;
    made->owner = "ann";
    made->next = next;
    return made;
}
int main(void)
{
    struct job *all = NULL;
    for (int at = 0; at < 6; at++)
        all = job(at, all);
    return (int)all->id;
}
"""

NOT_FOUND = """
#include <stdlib.h>
#include <string.h>
struct route { const char *path; int (*handler)(const char *); };
static int hello(const char *path) { return path[0]; }
static const struct route routes[] = {{"/hello", hello}, {"/bye", hello}};
struct request { char path[32]; const struct route *route; struct request *next; };
static const struct route *find(const char *path)
{
    for (unsigned at = 0; at < 2; at++)
        if (strcmp(routes[at].path, path) == 0)
            return &routes[at];
    return NULL; /* told */
}
__attribute__((noinline)) static struct request *taken(const char *path, struct request *next)
{
    struct request *made = malloc(sizeof *made);
    strncpy(made->path, path, 31);
    made->path[31] = 0;
    made->route = find(path);
    made->next = next;
    return made;
}
static int serve(struct request *one)
{
    int sum = 0;
    for (; one != NULL; one = one->next)
        sum += one->route->handler(one->path);
    return sum;
}
int main(void) { return serve(taken("/bye", taken("/helo", taken("/hello", NULL)))); }
"""

THIRD_FREE = """
#include <stdlib.h>
#include <string.h>
struct doc { char *title, *body; };
static struct doc made(const char *title, size_t size)
{
    return (struct doc){strdup(title), malloc(size)};
}
__attribute__((noinline)) static void done(struct doc *one)
{
    free(one->title); /* told */
    free(one->body);
}
int main(void)
{
    struct doc one = made("report", 3000), copy = one;
    done(&one);
    struct doc other = made("other", 100);
    done(&copy);
    done(&other);
}
"""

WINDOW = """
#include <stdio.h>
#include <stdlib.h>
struct painter { int (*width)(int); };
struct grid { int columns, rows; const struct painter **cells; };
struct window { const struct grid *grid; int left, top, width, height; };
static int plain(int at) { return at & 1; }
static const struct painter one = {plain};
static struct grid *grid(int columns, int rows)
{
    struct grid *made = malloc(sizeof *made);
    char *before = calloc(1, 9000);
    *made = (struct grid){columns, rows, malloc(sizeof &one * columns * rows)};
    for (int at = 0; at < columns * rows; at++)
        made->cells[at] = &one;
    return before != NULL ? made : NULL;
}
static void scroll(struct window *w, int by)
{
    w->top += by;
    if (w->top + w->height > w->grid->rows)
        w->top = w->grid->rows - w->width; /* told */
}
static int painted(const struct window *w)
{
    int sum = 0;
    for (int y = w->top; y < w->top + w->height; y++)
        for (int x = w->left; x < w->left + w->width; x++)
            sum += w->grid->cells[y * w->grid->columns + x]->width(x);
    return sum;
}
int main(void)
{
    struct window w = {grid(40, 12), 0, 0, 30, 10};
    printf("%d\\n", painted(&w));
    scroll(&w, 1);
    printf("%d\\n", painted(&w));
    scroll(&w, 30);
    printf("%d\\n", painted(&w));
    return 0;
}
"""


# A release that fails has released nothing: the pointer that it was given lay in a block that was
# gone.
FAILED_FREE = """
#include <stdlib.h>
#include <string.h>
struct label { char *text; long width; };
struct sign { struct label *label; };
static struct label *label_new(const char *text)
{
    struct label *made = malloc(sizeof *made);
    made->text = strdup(text);
    made->width = 3;
    return made;
}
static void label_free(struct label *one)
{
    free(one->text);
    free(one); /* told */
}
int main(void)
{
    struct sign left = {label_new("way out")}, right = left;
    label_free(left.label);
    long *used = malloc(sizeof(struct label));
    used[0] = 0x1234567890;
    label_free(right.label);
    return used[1] != 0;
}
"""

# The zeros of calloc are values: nobody who asked for them left anything out.
ZEROED = """
#include <stdlib.h>
struct entry { int key, hits; };
static struct entry **slots;
static struct entry *get(int key)
{
    int at = key & 7;
    if (slots[at] == NULL) {
        struct entry *made = calloc(1, sizeof *made);
        made->key = key;
        slots[(at + 4) & 7] = made;
    }
    return slots[at];
}
int main(void)
{
    slots = calloc(8, sizeof *slots);
    return get(3)->hits;
}
"""
ZEROED_BY_HAND = ZEROED.replace("calloc(8, sizeof *slots)", "__builtin_memset(malloc(64), 0, 64)")

# What a function loaded it only hands on, on whichever of its ways.
HANDED_ON = """
#include <string.h>
struct option { const char *key, *value; };
static struct option options[4];
static int count;
static void add(const char *key, const char *line)
{
    options[count].key = key;
    options[count].value = strchr(line, '='); /* told */
    count++;
}
static const char *get(const char *key)
{
    for (int number = 0; number < count; number++)
        if (strcmp(options[number].key, key) == 0)
            return options[number].value;
    return "";
}
int main(void)
{
    add("host", "host=here");
    add("port", "port");
    return *get("host") + *get("port");
}
"""

# Who moves elements about stores values that others made; the library writes several of the cells
# that are watched at once.
MOVED_AT_ONCE = """
#include <string.h>
static long one = 1, *items[16];
static void mark(int at) { items[at] = (long *)((unsigned long)items[at] | 1ul << 63); /* told */ }
static void compact(int count) { memmove(items, items + 1, (count - 1) * sizeof *items); }
int main(void)
{
    for (int at = 0; at < 16; at++)
        items[at] = &one;
    mark(2);
    compact(16);
    return (int)(*items[0] + *items[1]);
}
"""

# Who gave back what lay behind a block is no cause of an access that ran out of the block.
RAN_OUT = """
#include <stdlib.h>
#include <string.h>
int main(void)
{
    char *behind = malloc(1 << 18), *block = malloc(1 << 18);
    memset(block, 1, 1 << 18);
    if (behind != block + (1 << 18) + 4096)
        abort();
    free(behind);
    long sum = 0;
    for (char *at = block + (1 << 18) + 4000; at < block + (1 << 19); at++)
        sum += *at;
    return (int)sum;
}
"""
RAN_OUT_FAST = RAN_OUT

# A holder of an object that is gone gives null: the frame in which it was asked is still there.
EXPIRED = """
#include <map>
#include <memory>
struct session { long hits = 0; };
struct registry {
    std::map<int, std::weak_ptr<session>> all;
    session &get(int id) { return *all.at(id).lock(); }
};
static void login(registry &in, int id)
{
    auto made = std::make_shared<session>();
    in.all[id] = made;
}
int main()
{
    registry known;
    login(known, 1);
    known.get(1).hits++;
}
"""

TAGGED = """
#include <string.h>
struct value { int is_text; union { long number; const char *text; } as; };
static long total(const struct value *v)
{
    return v->is_text ? (long)strlen(v->as.text) : v->as.number;
}
static void set_number(struct value *v, long n) { v->as.number = n; /* told */ }
int main(void)
{
    struct value one = {1, {.text = "seven"}};
    long sum = total(&one);
    set_number(&one, 86400);
    return (int)(sum + total(&one));
}
"""

TAGGED_SMALL = TAGGED.replace("86400", "65").replace(
    "    return v->is_text ? (long)strlen(v->as.text) : v->as.number;",
    """    long sum = v->is_text ? 0 : v->as.number;
    for (size_t i = 0; v->is_text && v->as.text[i] != 0; i++)
        sum++;
    return sum;""",
)

ASTRAY = """
#include <stdlib.h>
#include <string.h>
struct user { char name[16]; struct user *boss; };
static struct user *hired(struct user *boss)
{
    struct user *made = calloc(1, sizeof *made);
    made->boss = boss;
    return made;
}
static void name(struct user *user, const char *text)
{
    size_t size = strnlen(text, sizeof user->name);
    memcpy(user->name, text, size);
    user->name[size] = 0; /* told */
}
int main(void)
{
    char *before = memset(malloc(0x300), 'A', 0x300);
    struct user *user = hired(hired(NULL));
    name(user, "a name that is too long");
    while (user != NULL)
        user = user->boss;
    return before[0];
}
"""

SIGNED = """
#include <stdlib.h>
#include <string.h>
struct font { const int *by[128]; };
static const int one = 1;
__attribute__((noinline)) static int code(const char *text, int at)
{
    return text[at]; /* told */
}
int main(void)
{
    char *before = memset(malloc(4096), 'A', 4096);
    struct font *font = malloc(sizeof *font);
    int sum = before[0];
    for (int at = 0; at < 128; at++)
        font->by[at] = &one;
    for (int at = 0; at < 4; at++)
        sum += *font->by[code("na\xc3\xaf", at)];
    return sum;
}
"""

LAST_NODE = """
#include <stdlib.h>
struct node { struct node *next; int value; };
struct list { struct node *head; };
static void push(struct list *list, int value)
{
    struct node *made = malloc(sizeof *made);
    made->value = value;
    made->next = list->head;
    list->head = made;
}
static void pop(struct list *list)
{
    struct node *first = list->head;
    list->head = first->next;
    free(first);
}
static int top(const struct list *list) { return list->head->value; }
int main(void)
{
    struct list list = {0};
    push(&list, 4);
    push(&list, 5);
    pop(&list);
    pop(&list);
    return top(&list);
}
"""

ONE_PAST = """
#include <stdlib.h>
#include <string.h>
struct set { long used, *cells; };
__attribute__((noinline)) static void end(struct set *set)
{
    set->cells[3] = -1; /* told */
}
__attribute__((noinline)) static struct set *make(void)
{
    struct set *made = malloc(sizeof *made);
    made->cells = calloc(3, sizeof *made->cells);
    return made;
}
int main(void)
{
    struct set *set = make();
    char *other = malloc(100);
    memset(other, 1, 100);
    end(set);
    free(other);
    return 0;
}
"""

UNFILLED = """
struct Cell { next: Option<Box<u64>>, id: u64 }
#[inline(never)]
fn sum(cells: &Vec<Cell>) -> u64 {
    let all = unsafe { std::slice::from_raw_parts(cells.as_ptr(), cells.capacity()) };
    all.iter().map(|one| one.id + one.next.as_ref().map_or(0, |id| **id)).sum()
}
fn main() {
    let before: Vec<u64> = (0..32).map(|id| 0x4100_0000_0000_0000 + id).collect();
    drop(std::hint::black_box(before));
    let mut cells = Vec::with_capacity(16);
    for id in 0..5 { cells.push(Cell { next: Some(Box::new(id)), id }); }
    println!("{}", sum(&cells));
}
"""

TURNED = """
#include <stdlib.h>
struct image { char *dots; int width, height; };
__attribute__((noinline)) static char *at(const struct image *image, int x, int y)
{
    return image->dots + (long)y * image->width + x;
}
int main(void)
{
    struct image *image = malloc(sizeof *image);
    *image = (struct image){malloc(9000 * 40), 9000, 40};
    for (int x = 0; x < image->width; x += 50)
        *at(image, 3, x) = 1;
    return 0;
}
"""

HUNG_UP = """
#include <stdlib.h>
struct peer { long sent; };
struct line { struct peer *peer; long state; };
static struct line lines[8];
static void hang_up(struct line *line)
{
    struct peer *peer = line->peer;
    line->peer = NULL; /* told */
    line->state = 3;
    free(peer);
}
static long sent(const struct line *line) { return line->peer->sent; }
int main(void)
{
    for (int at = 0; at < 8; at++) {
        lines[at].peer = calloc(1, sizeof(struct peer));
        lines[at].state = 1;
    }
    hang_up(&lines[0]);
    hang_up(&lines[5]);
    return (int)sent(&lines[5]);
}
"""

RING = """
#include <stdlib.h>
struct event { void (*run)(long); long at; };
struct ring { struct event *slots; unsigned mask, head, tail; };
static long sum;
__attribute__((noinline)) static void add(long at) { sum += at; }
__attribute__((noinline)) static void post(struct ring *ring, long at)
{
    struct event *event = &ring->slots[ring->tail++ & ring->mask];
    event->run = add;
    event->at = at;
}
__attribute__((noinline)) static void next(struct ring *ring)
{
    struct event *event = &ring->slots[ring->head++ % 8];
    event->run(event->at);
}
int main(void)
{
    struct ring *ring = calloc(1, sizeof *ring);
    *ring = (struct ring){calloc(9, sizeof *ring->slots), 8, 0, 0};
    for (int at = 0; at < 3; at++) {
        post(ring, at);
        next(ring);
    }
    return (int)sum;
}
"""

REBORN = """
#include <stdlib.h>
#include <string.h>
struct column { char title[32]; const int *width; };
static const int plain = 8;
static struct column *all[2];
static struct column **slot(int at) { return &all[at]; }
static struct column *column(const char *title)
{
    struct column *made = malloc(sizeof *made); /* told */
    strcpy(made->title, title);
    return made;
}
int main(void)
{
    void *before[2];
    for (int at = 0; at < 2; at++)
        before[at] = memset(malloc(sizeof(struct column)), 'A', sizeof(struct column));
    for (int at = 0; at < 2; at++)
        free(before[at]);
    all[0] = column("id");
    all[0]->width = &plain;
    all[1] = column("note");
    int sum = before[0] == NULL;
    for (int at = 0; at < 2; at++) {
        struct column *one = *slot(at);
        sum += *one->width;
    }
    return sum;
}
"""

LEFT_OFF = """
#include <memory>
struct page { page *next; long hits; };
struct cache { std::unique_ptr<page> first; };
__attribute__((noinline)) static void evict(cache &one)
{
    one.first.reset(); // told
}
int main(int count, char **)
{
    cache one{std::make_unique<page>()};
    page *kept = one.first.get();
    kept->next = kept;
    evict(one);
    page *other = new page{reinterpret_cast<page *>(count << 4), 2};
    return static_cast<int>(kept->next->hits + other->hits);
}
"""

STRIDE = """
struct View { data: Vec<f64>, rows: usize, cols: usize, stride: usize }
#[inline(never)]
fn turned(one: &View) -> View {
    View { data: one.data.clone(), rows: one.cols, cols: one.rows, stride: one.cols }
}
#[inline(never)]
fn last(one: &View) -> f64 { one.data[(one.rows - 1) * one.stride + one.cols - 1] }
fn main() {
    let one = View { data: vec![1.0; 12], rows: 2, cols: 6, stride: 6 };
    println!("{}", last(&one) + last(&turned(&one)));
}
"""

NEXT_GONE = """
#include <stdlib.h>
#include <string.h>
struct watcher { struct watcher *next; long (*fire)(struct watcher *); };
static struct watcher *all, *spare;
static void cancel(struct watcher *one)
{
    free(one); /* told */
}
static long quiet(struct watcher *one) { return one != all; }
static long closing(struct watcher *one)
{
    cancel(one->next);
    spare = memset(malloc(sizeof *spare), 'Z', sizeof *spare);
    return 1;
}
static void add(long (*fire)(struct watcher *))
{
    struct watcher *one = malloc(sizeof *one);
    one->fire = fire;
    one->next = all;
    all = one;
}
int main(void)
{
    long sum = 0;
    struct watcher *next;
    add(quiet);
    add(closing);
    for (struct watcher *one = all; one; one = next) {
        next = one->next;
        sum += one->fire(one);
    }
    return (int)sum;
}
"""

PUT_EARLY = """
#include <string.h>
struct job { long *out; int id; struct job *next; };
static struct job jobs[4], *idle;
static long sink;
static void put(struct job *one) { one->next = idle; idle = one; }
static struct job *get(int id)
{
    struct job *one = idle;
    idle = one->next;
    memset(one, 0, sizeof *one);
    one->id = id;
    return one;
}
static void cancel(struct job *one)
{
    put(one); /* told */
}
static void run(struct job *one) { *one->out = one->id; }
int main(void)
{
    for (int at = 0; at < 4; at++)
        put(&jobs[at]);
    struct job *first = get(1);
    first->out = &sink;
    cancel(first);
    get(2)->id = 7;
    run(first);
    return 0;
}
"""

NEVER_BOUND = PUT_EARLY.replace("    run(first);", "    run(get(3));").replace(" /* told */", "")

OPENED_AGAIN = """
struct slot { long *out; int used, id; };
static struct slot slots[4];
static long sink;
static int opened(int id)
{
    for (int at = 0; at < 4; at++)
        if (!slots[at].used) {
            slots[at] = (struct slot){0, 1, id};
            return at;
        }
    return -1;
}
static void bind(int at) { slots[at].out = &sink; }
static void expire(int at) { slots[at].used = 0; }
int main(void)
{
    int first = opened(1);
    bind(first);
    expire(first);
    opened(2);
    *slots[first].out = 2;
    return 0;
}
"""

UNLOADED = r"""
#include <string.h>
#include <sys/mman.h>
struct plugin { char *code; int (*tick)(void); };
static struct plugin one;
static void load(struct plugin *plugin)
{
    plugin->code = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(plugin->code, "\xb8\x07\x00\x00\x00\xc3", 6);
    mprotect(plugin->code, 4096, PROT_READ | PROT_EXEC);
    plugin->tick = (int (*)(void))plugin->code;
}
static void unload(struct plugin *plugin)
{
    munmap(plugin->code, 4096); /* told */
    plugin->code = NULL;
}
int main(void)
{
    load(&one);
    int sum = one.tick();
    unload(&one);
    return sum + one.tick();
}
"""

LOOKED_BACK = """
#[derive(Clone, Copy)]
struct Span { start: u32 }
#[inline(never)]
fn before(start: u32) -> Span {
    Span { start: start.wrapping_sub(1) } // told
}
#[inline(never)]
fn byte(text: &[u8], span: Span) -> u8 { unsafe { *text.get_unchecked(span.start as usize) } }
fn main() {
    let text = String::from("delta echo");
    let mut all = Vec::new();
    for (at, letter) in text.bytes().enumerate() {
        if at == 0 || letter == b' ' { all.push(before(at as u32)); }
    }
    let sum: u64 = all.iter().map(|span| byte(text.as_bytes(), *span) as u64).sum();
    println!("{}", sum);
}
"""

LONG_RUN = """
#include <stdint.h>
struct part { uint32_t length; const uint8_t *data; };
static uint8_t bytes[64] = {1};
static struct part parts[2];
static void measure(struct part *part, uint32_t length) { part->length = length << 24; }
static uint32_t sum(const struct part *part)
{
    uint32_t total = 0;
    for (uint32_t at = 0; at < part->length; at += 4096)
        total = total * 31 + part->data[at];
    return total;
}
int main(int count, char **words)
{
    parts[0].data = bytes;
    measure(&parts[0], (uint32_t)count + (words == 0));
    return (int)sum(&parts[0]);
}
"""

NO_NUMBER = """
#include <stdlib.h>
struct setting { const char *value; };
static struct setting port;
static void set(const char *value) { port.value = value; }
int main(int count, char **words)
{
    set(count > 1 ? words[1] : "none");
    long number = strtol(port.value, NULL, 10);
    return (int)(1000 / number);
}
"""

KEPT_VIEW = """
#include <string>
#include <vector>
struct Word { const char *text; std::size_t length; };
struct Line {
    std::string all;
    std::vector<Word> words;
    void add(const std::string &word)
    {
        std::size_t from = all.size();
        all += word; // told
        words.push_back({all.c_str() + from, word.size()});
    }
    static std::size_t mixed(const char *text, std::size_t length)
    {
        std::size_t sum = 5381;
        for (std::size_t at = 0; at < length; at++)
            sum = sum * 33 + static_cast<unsigned char>(text[at]);
        return sum;
    }
    std::size_t total() const
    {
        std::size_t sum = 0;
        for (const Word &word : words)
            sum += mixed(word.text, word.length);
        return sum;
    }
};
int main()
{
    Line line;
    for (std::size_t size : {5, 300000, 3000000})
        line.add(std::string(size, 'b'));
    return static_cast<int>(line.total());
}
"""

# Another one has the slot by then, and fills it rightly: who gave it back too early is not seen.
REFILLED = """
struct thing { long *p; int kind; };
static struct thing things[8];
static unsigned used;
static long zero;
static int take(void)
{
    for (int at = 0; at < 8; at++)
        if (!(used & 1u << at)) {
            used |= 1u << at;
            return at;
        }
    return 0;
}
static struct thing *set(long *p, int kind)
{
    struct thing *one = &things[take()];
    one->p = p;
    one->kind = kind;
    return one;
}
static struct thing *pair(void) { return set(&zero, 1); }
static struct thing *number(long value)
{
    struct thing *one = &things[take()];
    one->p = (long *)value;
    one->kind = 2;
    return one;
}
static void end(struct thing *one) { used &= ~(1u << (one - things - 1)); }
int main(int count, char **words)
{
    struct thing *one = pair(), *other = pair();
    end(other);
    number(4242 * count);
    return (int)*one->p + (words == 0);
}
"""

# A function that fills numbers knows no end of what it is given: who gave it does.
OPTIONS = """
#include <stdlib.h>
struct frame { unsigned char data[32]; int (*done)(struct frame *); int length; };
static int sent(struct frame *one) { return one->length; }
static void put16(unsigned char *at, unsigned value) { at[0] = value >> 8; at[1] = value; }
static void put32(unsigned char *at, unsigned value)
{
    put16(at, value >> 16);
    put16(at + 2, value);
}
static void option(struct frame *one, int kind, unsigned value)
{
    put16(one->data + one->length, kind);
    put32(one->data + one->length + 2, value); /* told */
    one->length += 6;
}
int main(int count, char **words)
{
    struct frame *one = calloc(1, sizeof *one);
    one->done = sent;
    put16(one->data, words != NULL);
    for (int at = 0; at < 5 + count; at++)
        option(one, at, 0x61626364);
    return one->done(one);
}
"""

# A number that a loop read is as large as what it was read from: whoever uses it may have to look.
OCTAL = """
#include <string.h>
static char block[64], name[64];
static size_t octal(const char *from)
{
    size_t value = 0;
    for (; *from != 0; from++)
        value = value * 8 + (*from - '0');
    return value;
}
int main(int count, char **words)
{
    size_t size = octal(count > 1 ? words[1] : "77777777777");
    memcpy(name, block, size);
    return name[3];
}
"""

OCTAL_IN_MEMORY = OCTAL

# What a constructor puts into its own new block stands over nothing.
CAST = """
#include <string>
#include <vector>
struct Node { virtual ~Node() = default; long kind = 1; };
struct Name : Node { std::string *text; Name(const char *t) : text(new std::string(t)) {} };
struct Call : Node { Name *name; Call(Name *n) : name(n) {} };
static std::size_t length(Node *one) { return static_cast<Call *>(one)->name->text->size(); }
int main()
{
    std::vector<Node *> all{new Call(new Name("max")), new Name("width")};
    std::size_t sum = 0;
    for (Node *one : all)
        sum += length(one);
    return (int)sum;
}
"""

# What is released later by whoever empties the queue was put there by another.
LATER = """
#include <stdlib.h>
struct request { long *hits; int id; };
static struct { void (*call)(void *); void *with; } queue[4];
static int waiting;
static long zero;
static void later(void (*call)(void *), void *with)
{
    queue[waiting].call = call;
    queue[waiting++].with = with;
}
static void tick(void)
{
    while (waiting > 0) {
        waiting--;
        queue[waiting].call(queue[waiting].with);
    }
}
int main(int count, char **words)
{
    struct request *one = calloc(1, sizeof *one);
    one->hits = &zero;
    one->id = count;
    later(free, one);
    tick();
    return (int)*one->hits + (words == NULL);
}
"""

# Nothing stood where a number was put first: it may belong there, and be read as something else.
PLAIN = """
#include <string.h>
struct user { long id; char name[16]; };
static size_t width(const char *text) { return strlen(text); }
static size_t greeted(const struct user *one) { return width((const char *)one->id); }
__attribute__((constructor)) static void early(void)
{
    volatile long left[2000]; /* what the stack holds before */
    for (int at = 0; at < 2000; at++)
        left[at] = at + 1;
}
int main(int count, char **words)
{
    struct user one = {31337 * count, "ann"};
    return (int)greeted(&one) + (words == NULL);
}
"""

# Of a function that fills by a number the number may be wrong, or the loop.
FILLED_BY_COUNT = """
#include <stdlib.h>
struct grid { int row[6]; int *limit; int column[7]; };
static int most = 9;
static void fill(int *at, int count, int with)
{
    for (int i = 0; i <= count; i++)
        at[i] = with;
}
int main(int count, char **words)
{
    struct grid *one = calloc(1, sizeof *one);
    fill(one->column, 6, count);
    one->limit = &most;
    fill(one->row, 6, 3);
    return *one->limit + (words == NULL);
}
"""

# Of a function that stores at an index the index may be wrong, or what it makes of it.
STORED_AT = """
#include <stdlib.h>
struct grid { int cells[8]; long *owner; };
static long owner = 3;
static void store(int *row, int column, int value) { row[column + 1] = value; }
int main(int count, char **words)
{
    struct grid *one = calloc(1, sizeof *one);
    one->owner = &owner;
    store(one->cells, 2, 0);
    store(one->cells, 7, count + 0x41414140);
    return (int)*one->owner + (words == NULL);
}
"""

GIVEN_CELL = """
#include <stdlib.h>
struct grid { long cells[8]; long *owner; };
static long owner = 3;
static void put(struct grid *one, int at, long value) { one->cells[at] = value; }
static void fill(struct grid *one) { put(one, 3, 7); put(one, 8, 9); }
static long look(struct grid *one) { return *one->owner; }
int main(void)
{
    struct grid *one = calloc(1, sizeof *one);
    one->owner = &owner;
    fill(one);
    return (int)look(one);
}
"""

# An allocator's hook releases what its caller gives it: that one chose.
HOOKED = """
#include <stdlib.h>
#include <string.h>
struct memory { void *(*take)(size_t); void (*give)(void *); };
struct store { const struct memory *memory; struct row *row, *kept; };
struct row { long *value; };
static const struct memory plain = {malloc, free};
static long zero;
static void drop(struct store *s) { s->memory->give(s->row); /* told */ }
int main(int count, char **words)
{
    struct store s = {.memory = &plain}, *one = plain.take(sizeof s);
    *one = s;
    one->row = one->kept = plain.take(sizeof *one->row);
    one->kept->value = &zero;
    drop(one);
    memset(malloc(sizeof *one->row), 'a' + count, sizeof *one->row);
    return (int)*one->kept->value + (words == NULL);
}
"""

# Who gave the last of several references back ended the object's life, where the count lies apart
# from it too: which of the releases was one too many is not known.
COUNTED_APART = """
#include <stdlib.h>
struct page { int *first; int number; };
static struct page *pages[4];
static int users[4], zero;
static void leave(int number) { if (--users[number] == 0) free(pages[number]); }
static int shown(const struct page *one) { return *one->first; }
int main(int count, char **words)
{
    struct page *one = pages[count] = malloc(sizeof *one);
    one->first = &zero;
    users[count] = 2;
    leave(count);
    leave(count);
    return shown(one) + (words == NULL);
}
"""

# Its next owner had a place filled by what had filled it for others: who ended its life too early
# did that elsewhere.
TAGGED_ANEW = """
#include <stddef.h>
struct item { struct item *rest; long kind; union { struct item *car; long number; } as, more; };
static struct item items[3], *spare;
static void sweep(void)
{
    for (int i = 0; i < 3; i++) {
        items[i].kind = 0;
        items[i].rest = spare;
        spare = &items[i];
    }
}
static struct item *take(long kind)
{
    if (spare == NULL)
        sweep();
    struct item *one = spare;
    spare = one->rest;
    one->kind = kind;
    return one;
}
static struct item *number(long n) { struct item *one = take(1); one->as.number = n; return one; }
static struct item *pair(struct item *car, struct item *cdr)
{
    struct item *one = take(2);
    one->as.car = car;
    one->more.car = cdr;
    return one;
}
static long head(const struct item *one) { return one->as.car->as.number; }
int main(int count, char **words)
{
    struct item *list = pair(number(5), NULL);
    for (int i = 0; i < 3; i++)
        number(70000 * count);
    return (int)head(list) + (words == NULL);
}
"""

# A function fills its own place for each that asks: the pointer was kept over the next call.
OWN_PLACE = """
#include <stddef.h>
struct limit { int id; int *most; };
static int limits[] = {3, 4};
static struct limit *limit_of(int id)
{
    static struct limit found;
    found.id = id;
    found.most = id < 2 ? &limits[id] : NULL;
    return &found;
}
static int is_free(int id) { return limit_of(id)->most == NULL; }
int main(int count, char **words)
{
    struct limit *one = limit_of(count);
    return is_free(count + 1) ? *one->most + (words == NULL) : 0;
}
"""

# Counting on by one is right; that more was asked for than there was, another did.
COUNTED_ON = """
#include <assert.h>
struct line { unsigned in, out; int *cells; };
static int next(struct line *one)
{
    assert(one->in != one->out);
    return one->cells[one->out++ % 4];
}
int main(int count, char **words)
{
    static int cells[4];
    struct line one = {3, 0, cells};
    for (int i = 0; i < 3 + count; i++)
        next(&one);
    return words == 0;
}
"""

# What chose the element worked it out wrongly, and not who stored a sound number there.
BY_HASH = """
#include <stdlib.h>
struct set { int *most; long cells[8]; };
static int most = 8;
static int cell_of(int key)
{
    return key % 8; /* told */
}
static void keep(struct set *one, int key, long with) { one->cells[cell_of(key)] = with; }
int main(int count, char **words)
{
    struct set *one = calloc(1, sizeof *one);
    one->most = &most;
    keep(one, 3, 7);
    keep(one, -9 * count, 0x7171);
    return *one->most + (words == NULL);
}
"""

# A run that saw no more than the same fault shows nothing: a shift only handed on what was bad.
SHIFTED = """
#include <stdlib.h>
static int mixed(const char *text)
{
    int all = 7;
    while (*text)
        all = all * 31 + *text++;
    return all;
}
static void set(unsigned char *bits, const char *text)
{
    int bit = mixed(text) % (1 << 30);
    bits[bit / 8] |= 1 << (bit & 7);
}
int main(int count, char **words)
{
    unsigned char *bits = calloc(64, 1);
    set(bits, count ? "a name that is too long" : words[0]);
    return bits[0];
}
"""

# A column beside rows that were too wide did not lead that far.
COLUMN = """
#include <stdlib.h>
struct image { int stride; unsigned char *bits; };
static int at(struct image *one, int x, int y) { return one->bits[(long)y * one->stride + x]; }
int main(int count, char **words)
{
    struct image one = {count * 64 * 4096, malloc(4096 * (words != NULL))};
    return at(&one, 3, 4000);
}
"""

# What a function was given is known by what it stored through, where its caller moved it on.
MARKED = """
#include <stdlib.h>
struct grid { int cells[8]; long *owner; };
static long owner = 3;
static void mark(int *at, int value) { at[1] = value; }
static void draw(struct grid *one, int value) { mark(one->cells + 8, value); /* told */ }
int main(int count, char **words)
{
    struct grid *one = calloc(1, sizeof *one);
    one->owner = &owner;
    mark(one->cells, count);
    draw(one, count + 0x41414140);
    return (int)*one->owner + one->cells[1] + (words == NULL);
}
"""

ROW_OF_ANOTHER = """
#include <stdlib.h>
struct line { long *width; };
struct page { struct line *lines; int rows, columns, first; };
static long wide;
static void empty(struct page *page, int row)
{
    for (int at = 0; at < page->columns; at++)
        page->lines[row * page->columns + at].width = NULL;
}
static void feed(struct page *page)
{
    page->first = (page->first + 1) % page->rows;
    empty(page, page->first % page->rows);
}
int main(void)
{
    struct page page = {calloc(6, sizeof(struct line)), 3, 2, 0};
    for (int at = 0; at < 6; at++)
        page.lines[at].width = &wide;
    feed(&page);
    return (int)*page.lines[page.first * 2].width;
}
"""

CLONED = """
#include <stdlib.h>
#include <string.h>
struct user { long id; char *name; long **seen; };
static struct user *user(long id)
{
    struct user *made = malloc(sizeof *made);
    made->id = id;
    made->name = strdup("name");
    made->seen = calloc(4, sizeof *made->seen);
    return made;
}
static struct user *clone(const struct user *from)
{
    struct user *made = malloc(sizeof *made);
    memcpy(made, from, sizeof *made);
    return made;
}
static void drop(struct user *one)
{
    free(one->name);
    free(one->seen);
    free(one);
}
int main(void)
{
    struct user *first = user(1), *second = clone(first);
    drop(first);
    return second->seen[1] ? (int)*second->seen[1] : 0;
}
"""

BORROWED = """
#include <stdlib.h>
struct text { long **words; long owned; };
struct label { struct text text; long id; };
static void own(struct text *text)
{
    text->words = calloc(4, sizeof *text->words);
    text->owned = 1;
}
static void borrow(struct text *text, const struct text *from) { *text = *from; }
static void drop(struct text *text)
{
    if (text->owned)
        free(text->words);
    text->words = NULL;
}
int main(void)
{
    struct label *first = calloc(1, sizeof *first), *second = calloc(1, sizeof *second);
    own(&first->text);
    borrow(&second->text, &first->text);
    drop(&second->text);
    return first->text.words[1] ? (int)*first->text.words[1] : 0;
}
"""

HANDED_OVER = """
#include <stdlib.h>
struct text { long **words; long length; };
struct label { struct text text; long id; };
static void own(struct text *text) { text->words = calloc(text->length = 4, sizeof *text->words); }
static void take(struct text *text, struct text *from)
{
    *text = *from;
    from->words = NULL;
}
static void trim(struct text *text)
{
    free(text->words); /* told */
}
int main(void)
{
    struct label *first = calloc(1, sizeof *first), *second = calloc(1, sizeof *second);
    own(&first->text);
    take(&second->text, &first->text);
    trim(&second->text);
    return (int)*second->text.words[0];
}
"""

UNDONE = """
#include <stdlib.h>
struct state { long **words; long count; };
struct editor { struct state now, before[2]; long depth; };
static long **words(long first)
{
    long **made = calloc(8, sizeof *made);
    made[1] = (long *)first;
    return made;
}
static void edit(struct editor *one)
{
    one->before[one->depth++] = one->now;
    free(one->now.words);
    one->now.words = words(2);
}
static void undo(struct editor *one) { one->now = one->before[--one->depth]; }
int main(void)
{
    struct editor *one = calloc(1, sizeof *one);
    one->now.words = words(0);
    edit(one);
    undo(one);
    return (int)*one->now.words[1];
}
"""

STEPPED_ON = """
#include <stddef.h>
struct node { struct node *next; long gone; };
static struct node nodes[4], *head = nodes;
static void unlink_from(struct node **at, struct node *node)
{
    *at = node->next;
    node->next = (struct node *)0x100;
}
static long purge(void)
{
    long left = 0;
    struct node **at = &head;
    for (struct node *node = head; node != NULL; node = node->next) {
        left += !node->gone;
        if (node->gone)
            unlink_from(at, node);
        else
            at = &node->next;
    }
    return left;
}
int main(void)
{
    for (int at = 0; at < 3; at++)
        nodes[at].next = &nodes[at + 1];
    nodes[1].gone = 1;
    return (int)purge();
}
"""

IN_FRONT = """
#include <stdlib.h>
#include <string.h>
struct step { char text[24]; long *at; char more[16]; };
static char *line(int letter)
{
    char *made = malloc(56);
    return memset(made, letter, 56);
}
int main(int count, char **words)
{
    char *first = line('a');
    struct step *steps = malloc(2 * sizeof *steps);
    free(first);
    return (int)*steps[count - 2].at + (words == NULL);
}
"""

READY = """
#include <stdlib.h>
#include <string.h>
struct item { void (*run)(int); long id; long *sum; long more[4]; };
static struct item *ready[60];
static struct item **slot(int at) { return &ready[at]; }
static void drop(struct item *one) { free(one); /* told */ }
static void stay(int at) { (void)at; }
static void stop(int at)
{
    drop(ready[at + 1]);
    memset(malloc(sizeof **ready), 'x', sizeof **ready);
}
int main(int count, char **words)
{
    long sum = words == NULL;
    for (int at = 0; at < 60; at++) {
        ready[at] = calloc(1, sizeof **ready);
        ready[at]->sum = &sum;
        ready[at]->run = at == 57 + count ? stop : stay;
    }
    for (int at = 0; at < 60; at++) {
        struct item *one = *slot(at);
        *one->sum += at;
        one->run(at);
    }
    return (int)sum;
}
"""

FILLED_ROWS = """
#include <stdlib.h>
#include <string.h>
struct image { unsigned short wide, high, size; char *bits; };
struct layer { struct image *image; long *by; };
static long plain = 1;
static struct image *image(int wide, int high)
{
    struct image *made = malloc(sizeof *made);
    made->wide = wide;
    made->high = high;
    made->size = wide * high; /* told */
    made->bits = malloc(made->size);
    return made;
}
static void fill(struct image *one, int with)
{
    for (int row = 0; row < one->high; row++)
        memset(one->bits + row * one->wide, with, one->wide);
}
int main(int count, char **words)
{
    struct image *one = image(256 * count, 257);
    struct layer *layer = malloc(sizeof *layer);
    layer->image = one;
    layer->by = &plain;
    fill(one, 'x');
    return (int)*layer->by + (words == NULL);
}
"""

LAST_OF_NONE = """
#include <stdlib.h>
struct step { long *at; long more[4]; };
struct steps { struct step *first, *end; };
static long last(const struct steps *steps) { return *steps->end[-1].at; }
int main(int count, char **words)
{
    struct step *before = calloc(1, sizeof *before);
    struct steps steps = {calloc(count, 2 * sizeof *steps.first), words == NULL ? before : NULL};
    steps.end = steps.first;
    free(before);
    return (int)last(&steps);
}
"""

OTHER_TYPE = """
#include <stdlib.h>
struct view { char *at; long size; };
struct range { int first, last; };
static char text[64], *lines[4];
static void view(struct view *one, int from) { one->at = text + from * 4; }
static long line(const void *what) { return *lines[((const struct range *)what)->first]; }
int main(int count, char **words)
{
    struct view *one = calloc(1, sizeof *one);
    view(one, 0);
    view(one, count + 2);
    return (int)line(one) + (words == NULL);
}
"""

GIVEN_STACK = """
#include <stdlib.h>
struct text { char *start; long length; };
static void borrow(struct text *text, void *from) { text->start = from; }
static void drop(struct text *text) { free(text->start); }
int main(int count, char **words)
{
    long cells[16], sum = words == NULL;
    struct text *text = calloc(1, sizeof *text);
    for (int at = 0; at < 16; at++)
        cells[at] = 8 * count;
    borrow(text, &cells[(long)cells % 16 ? 9 : 8]);
    drop(text);
    return (int)(sum + cells[count]);
}
"""

WRAPPED_ROWS = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct image { uint32_t wide, high; uint8_t *bits; };
static struct image image(uint32_t wide, uint32_t high)
{
    return (struct image){wide, high, malloc(wide * high * 4)};
}
static void fill(struct image *one, uint32_t with)
{
    for (uint32_t y = 0; y < one->high; y++)
        for (uint32_t x = 0; x < one->wide; x++)
            memcpy(one->bits + ((size_t)y * one->wide + x) * 4, &with, 4);
}
int main(void)
{
    struct image one = image(65536, 16385);
    fill(&one, 0xff00ff00);
    return one.bits[9];
}
"""

ZEROED_REGISTER = """
#include <string.h>
struct calls { void (*start)(long *), (*end)(long *), (*text)(long *), (*rest)(long *); };
struct parser { struct calls calls; long *user; int depth; char room[24]; };
static void one(long *sum) { ++*sum; }
static void reset(struct parser *p) { memset(p, 0, sizeof *p); }
static void set(struct parser *p, const struct calls *calls, long *user)
{
    p->calls = *calls;
    p->user = user;
}
static void feed(struct parser *p, const char *text)
{
    for (; *text; text++) {
        if (*text == '<') {
            p->depth++;
            p->calls.start(p->user);
        } else if (*text == '>') {
            p->depth--;
            p->calls.end(p->user);
        } else {
            p->calls.text(p->user);
        }
    }
}
int main(void)
{
    struct parser p;
    long sum = 0;
    struct calls calls = {one, one, one, NULL};
    const char *all[] = {"<a>", "<b>"};
    reset(&p);
    set(&p, &calls, &sum);
    for (int at = 0; at < 2; at++) {
        feed(&p, all[at]);
        if (p.depth == 0)
            reset(&p);
    }
    return (int)sum;
}
"""

NO_LENGTH = """
#include <stdlib.h>
#include <string.h>
struct head { char name[16]; int *count; };
static int three = 3;
static void set_name(struct head *head, const char *name)
{
    strcpy(head->name, name); /* told */
}
int main(void)
{
    struct head *head = malloc(sizeof *head);
    head->count = &three;
    set_name(head, "a-name-that-is-much-too-long");
    return *head->count;
}
"""

ONE_OF_TWO = """
#include <stdlib.h>
#include <string.h>
struct box { int tag; union { int *number; char text[24]; }; };
static int three = 3;
static void set_text(struct box *box, const char *text)
{
    strcpy(box->text, text);
    box->tag = 2;
}
int main(void)
{
    struct box *box = malloc(sizeof *box);
    box->number = &three;
    set_text(box, "a text that fits");
    return *box->number;
}
"""

LENGTH_OF_A_CALLER = """
#include <stdlib.h>
#include <string.h>
struct buffer { char *bytes; };
struct peer { int *count; };
static int three = 3;
static void put(struct buffer *buffer, size_t at, const void *from, size_t size)
{
    memcpy(buffer->bytes + at, from, size);
}
static size_t header(int version) { return version > 1 ? 40 : 24; }
static void make(struct buffer *buffer, int version, const char *body, size_t size)
{
    char head[64];
    memset(head, 'B', sizeof head);
    buffer->bytes = malloc(header(1) + size);
    put(buffer, 0, head, header(version));
    put(buffer, header(version), body, size);
}
int main(void)
{
    void *hole = malloc(56);
    struct peer *peer = malloc(sizeof *peer);
    peer->count = &three;
    free(hole);
    struct buffer buffer;
    char body[32];
    memset(body, 'C', sizeof body);
    make(&buffer, 2, body, 32);
    return *peer->count + buffer.bytes[0];
}
"""

PINNED = """
#include <string.h>
struct page { int number, pins; struct page *next; char text[40]; };
static struct page pages[2];
static int taken;
static struct page *get(int number)
{
    struct page *one = &pages[taken++ % 2];
    memset(one, number, sizeof *one);
    one->number = number;
    one->pins = 1;
    return one;
}
static void put(struct page *one) { one->pins--; }
int main(void)
{
    struct page *other = get(1), *kept = get(0);
    kept->next = other;
    put(other);
    put(get(2));
    get('x');
    return kept->next->number;
}
"""

BITS = """
#include <stdlib.h>
#include <string.h>
struct slot { char *name; long uses; };
struct pool { unsigned used; char owner[12]; struct slot slots[4]; };
static int place(const struct pool *pool) { return __builtin_ffs((int)(~pool->used & 15)) - 1; }
static void take(struct pool *pool, const char *name)
{
    int at = place(pool);
    pool->used |= 1u << at;
    struct slot *one = &pool->slots[at];
    if (one->name)
        free(one->name);
    one->name = strdup(name);
}
int main(void)
{
    struct pool *pool = calloc(1, sizeof *pool);
    strcpy(pool->owner, "worker-0007");
    for (int at = 0; at < 6; at++)
        take(pool, "job");
    return pool->slots[1].name[0];
}
"""

SCOPES = """
#include <stdio.h>
#include <string.h>
struct seen { struct seen *next; long (*get)(void); long room[29]; };
static struct seen *first;
static long number(void) { return 7; }
static void keep(struct seen *one) { one->get = number; one->next = first; first = one; }
int main(int count, char **words)
{
    long sum = words == NULL;
    {
        struct seen one = {0};
        keep(&one);
        sum += one.get();
    }
    {
        char text[256];
        int at = 0;
        for (int part = 0; part < 60 + count; part++)
            at += snprintf(text + at, 250 - at, "%d,", part % 7);
        sum += text[at / 2];
    }
    return (int)(sum + first->get());
}
"""

INSIDE = """
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
struct field { char *name, *value; };
static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++; /* told */
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = 0;
    return text;
}
static struct field field(const char *line)
{
    struct field made;
    const char *colon = strchr(line, ':');
    made.name = strndup(line, colon - line);
    made.value = trim(strdup(colon + 1));
    return made;
}
static void drop(struct field *one, int count)
{
    for (int at = 0; at < count; at++) {
        free(one[at].name);
        free(one[at].value);
    }
}
int main(void)
{
    const char *lines[] = {"Host:example.org", "Accept:*/*", "Cookie:  id=4711; theme=dark"};
    struct field fields[3];
    for (int at = 0; at < 3; at++)
        fields[at] = field(lines[at]);
    drop(fields, 3);
    return 0;
}
"""

TWO_OWNERS = """
#include <memory>
#include <string>
#include <vector>
struct Widget { std::string name; };
struct Panel {
    std::vector<std::shared_ptr<Widget>> kids;
    void add(Widget *one) { kids.emplace_back(one); }
};
int main()
{
    auto widget = std::make_shared<Widget>(Widget{"a widget with a name that is long"});
    {
        Panel panel;
        panel.add(widget.get());
    }
    return (int)widget->name.size();
}
"""

# Who writes by a pointer that is older than the block's life is not to blame: who ended that life.
STALE_TAIL = """
#include <stdlib.h>
struct job { struct job *next; long cost; };
struct queue { struct job *head, *tail; };
struct worker { long (*run)(long); long limit; };
static long plain(long cost) { return cost * 2; }
static void put(struct queue *q, long cost)
{
    struct job *made = calloc(1, sizeof *made);
    made->cost = cost;
    if (q->head == NULL)
        q->head = made;
    else
        q->tail->next = made;
    q->tail = made;
}
static void cancel(struct queue *q)
{
    struct job **at = &q->head;
    while ((*at)->next != NULL)
        at = &(*at)->next;
    free(*at); /* told */
    *at = NULL;
}
int main(void)
{
    struct queue q = {NULL, NULL};
    put(&q, 1);
    put(&q, 2);
    cancel(&q);
    struct worker *worker = malloc(sizeof *worker);
    worker->run = plain;
    put(&q, 3);
    return (int)worker->run(q.head->cost);
}
"""

# What is written at a count may be right, and the room for it reckoned too small.
JOINED = """
#include <stdlib.h>
#include <string.h>
static long *next;
struct text { char *bytes; size_t used; };
static long room(long names, long longest) { return names * longest; }
__attribute__((noinline)) static void start(struct text *one, size_t size)
{
    one->bytes = malloc(size);
    one->used = 0;
}
__attribute__((noinline)) static void append(struct text *one, const char *from)
{
    size_t size = strlen(from);
    memcpy(one->bytes + one->used, from, size);
    one->used += size;
    memcpy(one->bytes + one->used, ", ", 2);
    one->used += 2;
}
int main(int count, char **words)
{
    const char *names[] = {"Margaret", "Charlene", "Dorothea", "Florence", "Benedictus"};
    struct text one;
    start(&one, room(4 + count, strlen(names[0])));
    next = malloc(8);
    for (int at = 0; at < 5; at++)
        append(&one, names[at]);
    free(next);
    free(one.bytes);
    return words == NULL;
}
"""

# Who was given a place wrote where it should; to whom it was given before is not known to it.
GIVEN_TWICE = """
#include <stdio.h>
struct buffer { struct buffer *next; char bytes[40]; };
struct session { long *quota; long id; };
static struct buffer pool[4], *unused;
static long quota = 5;
static void *take(void)
{
    struct buffer *one = unused;
    unused = one->next;
    return one->bytes;
}
static void give_back(void *bytes)
{
    struct buffer *one = (struct buffer *)((char *)bytes - sizeof(struct buffer *));
    one->next = unused;
    unused = one;
}
static struct session *session(void)
{
    struct session *made = take();
    made->quota = &quota;
    return made;
}
static char *greeting(const char *who)
{
    char *text = take();
    snprintf(text, 40, "Good evening, dear %s!", who);
    return text;
}
int main(void)
{
    for (int at = 0; at < 4; at++)
        give_back(pool[at].bytes);
    char *first = greeting("Ada");
    give_back(first);
    give_back(first);
    struct session *one = session();
    greeting("Bob");
    return (int)*one->quota;
}
"""

# A copy of as much as it was told: whoever chose another number than was asked for.
CLAMPED_PART = """
#include <stdlib.h>
#include <string.h>
struct packet { unsigned char bytes[64]; int *peer; };
static int number = 11;
static void copy_part(struct packet *one, unsigned at, const char *from, unsigned size)
{
    memcpy(one->bytes + at, from, size);
}
static void build(struct packet *one, const char *body, unsigned size)
{
    if (size > sizeof one->bytes)
        size = sizeof one->bytes;
    copy_part(one, 0, "HEADHEAD", 8);
    copy_part(one, 8, body, size); /* told */
}
int main(void)
{
    struct packet *one = calloc(1, sizeof *one);
    char body[100];
    memset(body, 'z', sizeof body);
    one->peer = &number;
    build(one, body, 20);
    build(one, body, 100);
    return *one->peer;
}
"""

# Room that was reckoned for the very text which does not fit.
NO_END = """
#include <stdlib.h>
#include <string.h>
struct peer { const char *name; };
static char *join(const char *folder, const char *name)
{
    char *made = malloc(strlen(folder) + strlen(name)); /* told */
    strcpy(made, folder);
    strcat(made, "/");
    strcat(made, name);
    return made;
}
int main(void)
{
    char *hole = malloc(24);
    struct peer *peer = malloc(sizeof *peer);
    peer->name = "peer";
    free(hole);
    char *path = join("/usr/lib/python", "site-pack");
    free(peer);
    free(path);
    return 0;
}
"""

# Null, in an element that was read since its number had lost a part.
SHORT_ID = """
#include <stdlib.h>
struct section { long id; long *base; };
struct symbol { unsigned char section; };
static struct section sections[400];
static void set(struct symbol *one, int section) { one->section = section; /* told */ }
static long base_of(const struct symbol *one) { return *sections[one->section].base; }
int main(int count, char **words)
{
    static long base;
    struct symbol *one = calloc(1, sizeof *one);
    for (int at = 1; at < 400; at++)
        sections[at].base = &base;
    set(one, 5);
    long sum = base_of(one);
    set(one, 255 + count);
    return (int)base_of(one) + (int)sum + (words == NULL);
}
"""

# Null, behind the end of an array: whoever said where the numbers end.
CLAMPED = """
#include <stdlib.h>
struct level { int value; };
static long zero, *table[16];
static long others[256];
static int clamp(int value, int high) { return value > high ? high : value; }
static void set(struct level *one, int wanted)
{
    one->value = clamp(wanted, sizeof table - 1); /* told */
}
static long apply(const struct level *one) { return *table[one->value]; }
int main(int count, char **words)
{
    struct level *one = calloc(1, sizeof *one);
    for (int at = 0; at < 16; at++)
        table[at] = &zero;
    set(one, 3);
    long sum = apply(one);
    set(one, 9000 * count);
    return (int)(sum + apply(one) + others[1]) + (words == NULL);
}
"""

# A number that was given as one is no bad pointer: who read it as one had another's object.
OTHERS_NUMBER = """
#include <stdlib.h>
#include <string.h>
struct meter { long low, high; };
struct label { const char *text; long shown; };
static struct meter *meter(long low, long high)
{
    struct meter *made = malloc(sizeof *made);
    made->low = low;
    made->high = high;
    return made;
}
static size_t show(void *with) { return strlen(((struct label *)with)->text); }
int main(void)
{
    struct label label = {"volts", 0};
    struct meter *one = meter(10, 99);
    return (int)(show(&label) + show(one));
}
"""

# A part of a pointer that was copied is not what its maker stored.
SHORT_READ = """
#include <stdlib.h>
#include <string.h>
struct record { long id; const char *name; };
static struct record all[2];
static size_t at;
static void take(void *to, size_t size)
{
    size_t left = sizeof all - 4 - at;
    memcpy(to, (char *)all + at, size < left ? size : left);
    at += size;
}
static long shown(const struct record *one) { return one->id + one->name[0]; }
int main(void)
{
    struct record *one = malloc(sizeof *one);
    long sum = 0;
    for (int id = 0; id < 2; id++)
        all[id].name = "name";
    for (int id = 0; id < 2; id++) {
        memset(one, 0, sizeof *one);
        take(one, sizeof *one);
        sum += shown(one);
    }
    return (int)sum;
}
"""

# Of two numbers the one that a conditional move took was worked out.
NEXT_STATE = """
#include <stdlib.h>
struct machine { int state; long sums[3]; };
typedef void action(struct machine *, int);
static void none(struct machine *one, int c) { one->sums[0] += c; }
static void letter(struct machine *one, int c) { one->sums[1] += c; }
static void digit(struct machine *one, int c) { one->sums[2] += c; }
static action *const actions[3] = {none, letter, digit};
__attribute__((noinline)) static void move(struct machine *one, int c)
{
    if (c >= '0' && c <= '9')
        one->state = 2;
    else
        one->state = c / 32 - 1; /* told */
}
__attribute__((noinline)) static void act(struct machine *one, int c)
{
    actions[one->state](one, c);
}
int main(int count, char **words)
{
    struct machine *one = calloc(1, sizeof *one);
    const char text[] = {'A', '1', -23 + count - 1, 0};
    for (const char *at = text; *at; at++) {
        move(one, *at & 0xff);
        act(one, *at);
    }
    return (int)one->sums[2] + (words == NULL);
}
"""

# A null that the optimiser made in front of a choice, to whose line it brings a debugger.
HOISTED_NULL = r"""
#include <stdio.h>
#include <stdlib.h>
enum kind { NUMBER, PLUS, TIMES, OPEN, CLOSE, END };
struct node { enum kind kind; double number; struct node *left, *right; };
struct parser { const enum kind *kinds; int at; };
static struct node *make(enum kind kind, struct node *left, struct node *right)
{
    struct node *n = malloc(sizeof *n);
    n->kind = kind;
    n->left = left;
    n->right = right;
    return n;
}
static struct node *sum(struct parser *p);
static struct node *atom(struct parser *p)
{
    enum kind kind = p->kinds[p->at++];
    if (kind == NUMBER) {
        struct node *n = make(NUMBER, NULL, NULL);
        n->number = p->at;
        return n;
    }
    if (kind == OPEN) {
        struct node *n = sum(p);
        p->at++;
        return n;
    }
    return NULL; /* told */
}
static struct node *product(struct parser *p)
{
    struct node *left = atom(p);
    while (p->kinds[p->at] == TIMES) {
        p->at++;
        left = make(TIMES, left, atom(p));
    }
    return left;
}
static struct node *sum(struct parser *p)
{
    struct node *left = product(p);
    while (p->kinds[p->at] == PLUS) {
        p->at++;
        left = make(PLUS, left, product(p));
    }
    return left;
}
static double value(const struct node *n)
{
    switch (n->kind) {
    case NUMBER: return n->number;
    case PLUS: return value(n->left) + value(n->right);
    default: return value(n->left) * value(n->right);
    }
}
int main(void)
{
    static const enum kind lines[2][7] = {
        {NUMBER, PLUS, NUMBER, TIMES, NUMBER, END},
        {NUMBER, TIMES, OPEN, NUMBER, PLUS, CLOSE, END},
    };
    for (int at = 0; at < 2; at++) {
        struct parser p = {lines[at], 0};
        printf("%g\n", value(sum(&p)));
    }
    return 0;
}
"""

# A loop over as many as the object says there are: what says so, or how many were made, is wrong.
AS_FAR_AS_TOLD = """
#include <stdlib.h>
struct table { long *slots; int length; long (*hook)(int); };
static long plain(int n) { return n + 1L; }
static struct table *table(int length)
{
    struct table *made = malloc(sizeof *made);
    made->slots = calloc(length, sizeof *made->slots);
    made->length = length;
    made->hook = plain;
    return made;
}
static void grow(struct table *one) { one->length *= 4; }
static void fill(struct table *one, long with)
{
    for (int at = 0; at < one->length; at++)
        one->slots[at] = with + at;
}
int main(void)
{
    struct table *first = table(3), *second = table(3);
    fill(first, 1000);
    grow(first);
    fill(first, 2000);
    return (int)second->hook(second->length);
}
"""

# What knows no type can not know how much of it there is.
CLEARED_AS_TOLD = """
#include <stdlib.h>
#include <string.h>
struct row { int cells[6]; int *total; };
__attribute__((noinline)) static void clear(void *at, size_t size) { memset(at, 0, size); }
__attribute__((noinline)) static void reset(struct row *one) { clear(one->cells, sizeof *one); }
int main(int count, char **words)
{
    struct row *one = calloc(1, sizeof *one);
    one->total = &count;
    one->cells[1] = count;
    reset(one);
    return *one->total + one->cells[1] + (words == NULL);
}
"""

# Nor where its parts lie, or how large they are.
SWAPPED_PARTS = """
#include <stdlib.h>
#define EDGE 16
struct edge { long from, to; const char *label; };
static void swap(char *a, char *b, int size)
{
    for (int at = 0; at < size; at++) {
        char c = a[at];
        a[at] = b[at];
        b[at] = c;
    }
}
static void reverse(void *first, int count)
{
    char *bytes = first;
    for (int at = 0; at < count / 2; at++)
        swap(bytes + at * EDGE, bytes + (count - 1 - at) * EDGE, EDGE);
}
int main(void)
{
    struct edge *edges = calloc(5, sizeof *edges);
    int sum = 0;
    for (int at = 0; at < 5; at++) {
        edges[at].to = at + 1;
        edges[at].label = "abcde";
    }
    reverse(edges, 5);
    for (int at = 0; at < 5; at++)
        sum += edges[at].label[0];
    return sum;
}
"""

# What was spent by a call was handed to the next one again.
SPENT_TWICE = """
#include <stdlib.h>
struct request { long id; long *result; };
struct ring { struct request slots[4]; unsigned in, out; };
static void put(struct ring *ring, long id, long *result)
{
    if (ring->in - ring->out > 4)
        return;
    struct request *one = &ring->slots[ring->in++ % 4];
    one->id = id;
    one->result = result;
}
static void done(struct request *one)
{
    *one->result = one->id;
    one->result = NULL;
}
int main(void)
{
    static long results[8];
    struct ring *ring = calloc(1, sizeof *ring);
    for (int at = 0; at < 5; at++)
        put(ring, at, &results[at]);
    while (ring->in != ring->out)
        done(&ring->slots[ring->out++ % 4]);
    return (int)results[4];
}
"""

OWNED_BY_THE_DEAD = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct reader { long id, opened; char *bytes; };
static struct reader *last_reader;
static void grow(struct reader *r, size_t room)
{
    char *more = calloc(1, room);
    free(r->bytes);
    r->bytes = more;
}
static struct reader *reader_open(void)
{
    last_reader = calloc(1, 240);
    grow(last_reader, 40);
    return last_reader;
}
static void reader_close(struct reader *r)
{
    free(r->bytes);
    free(r); /* told */
}
static int report(int count)
{
    char *line = malloc(40);
    int n = snprintf(line, 40, "%d rows", count);
    free(line);
    return n;
}
int main(void)
{
    reader_close(reader_open());
    int n = report(3) + report(12);
    grow(last_reader, 80);
    return n;
}
"""

STORED_NULL_AGAIN = """
#include <stdlib.h>
struct font { int size; };
struct theme { struct font *body, *mono; int changes; };
static void theme_font(struct theme *t, int mono, struct font **font)
{
    *font = mono ? t->mono : t->body;
}
static int width(struct theme *t, int mono, int letters)
{
    struct font *font;
    font = NULL;
    theme_font(t, mono, &font);
    return font->size * letters;
}
static void theme_reset(struct theme *t)
{
    t->mono = NULL; /* told */
    t->changes++;
}
int main(void)
{
    struct theme *t = calloc(1, sizeof *t);
    t->body = calloc(1, sizeof *t->body);
    t->mono = calloc(1, sizeof *t->mono);
    int sum = width(t, 0, 3) + width(t, 1, 4);
    theme_reset(t);
    return sum + width(t, 1, 2);
}
"""

GIVEN_NULL_TO_CHOOSE = """
#include <stdlib.h>
struct filter { int hits; };
struct view { struct filter *plain, *last; int rows; };
static void view_default(const struct view *v, struct filter **filter)
{
    *filter = v->rows > 2 ? v->last : v->plain;
}
static int view_show(struct view *v, struct filter *filter)
{
    if (filter == NULL)
        view_default(v, &filter);
    filter->hits++;
    v->rows++;
    return filter->hits;
}
int main(void)
{
    static struct view view;
    int hits = 0;
    view.plain = calloc(1, sizeof *view.plain);
    for (int at = 0; at < 5; at++)
        hits += view_show(&view, NULL);
    return hits;
}
"""

ONE_PIN_TOO_FEW = """
#include <assert.h>
struct page { int number, pins; };
static struct page pages[4];
static struct page *page_get(int number)
{
    pages[number].pins++;
    return &pages[number];
}
static struct page *page_peek(int number) { return &pages[number]; }
static void page_put(struct page *p) { p->pins--; }
static void evict(void)
{
    for (int at = 0; at < 4; at++)
        assert(pages[at].pins >= 0);
}
static int sum(int from, int to)
{
    struct page *a = page_get(from), *b = from == to ? page_peek(to) : page_get(to);
    int found = a->number + b->number;
    page_put(a);
    page_put(b);
    return found;
}
int main(void)
{
    int all = sum(1, 2) + sum(2, 3) + sum(3, 3);
    evict();
    return all;
}
"""

KEPT_OVER_ANOTHER = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) static char *copy(const char *s) { return strcpy(malloc(32), s); }
__attribute__((noinline)) static void drop(char *s) { puts(s); free(s); }
int main(int count, char **words)
{
    char *kept = copy("kept" + (words == NULL));
    drop(kept); /* told */
    for (int at = 0; at < count + 2; at++) {
        char *other = copy("another");
        drop(other);
    }
    free(kept);
    return 0;
}
"""

CLEARED_TWICE = """
#include <stdlib.h>
struct font { int size; };
struct theme { struct font *mono, *spare; int changes; };
static void reset(struct theme *t) { t->mono = NULL; t->changes++; }
static void reload(struct theme *t) { t->mono = t->spare; t->changes++; }
static int width(struct theme *t, int letters) { return t->mono->size * letters; }
int main(void)
{
    struct theme *t = calloc(1, sizeof *t);
    t->mono = calloc(1, sizeof *t->mono);
    t->spare = t->mono;
    int sum = width(t, 3);
    reset(t);
    reload(t);
    sum += width(t, 2);
    t->spare = NULL; /* told */
    reset(t);
    reload(t);
    return sum + width(t, 4);
}
"""

# Who asks before it adds relies on what was said of the room by who made it too small.
ROOM_OF_BYTES = """
#include <stdlib.h>
struct clerk { const char *name; };
static struct clerk *clerk;
struct pile { int top, most; double *held; };
__attribute__((noinline)) static void *get(size_t size) { return malloc(size); }
__attribute__((noinline)) static struct pile *pile_of(int most)
{
    struct pile *p = malloc(sizeof *p);
    p->held = get(most * sizeof p->held[0] / 2); /* told */
    p->most = most;
    p->top = 0;
    return p;
}
__attribute__((noinline)) static int put(struct pile *p, double value)
{
    if (p->top >= p->most)
        return -1;
    p->held[p->top++] = value;
    return 0;
}
int main(int count, char **words)
{
    struct pile *p = pile_of(11 + count);
    clerk = malloc(sizeof *clerk);
    clerk->name = "Ada";
    for (int at = 0; at < 10; at++)
        put(p, 1.5 + at);
    return clerk->name[0] + (words == NULL);
}
"""

# Nothing says how much room there is: who asked for it, or calls who adds, is to know.
RESERVED = """
#include <stdlib.h>
struct clerk { const char *name; };
struct row { double *held; long count; };
__attribute__((noinline)) static void reserve(struct row *r, long more)
{
    r->held = realloc(r->held, more * sizeof *r->held);
}
__attribute__((noinline)) static void add(struct row *r, double one)
{
    r->held[r->count++] = one;
}
__attribute__((noinline)) static void add_all(struct row *r, const double *from, long count)
{
    reserve(r, count);
    for (long at = 0; at < count; at++)
        add(r, from[at]);
}
int main(int count, char **words)
{
    static const double some[] = {1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5};
    struct row r = {NULL, 0};
    add_all(&r, some, 6 + count);
    struct clerk *clerk = malloc(sizeof *clerk);
    clerk->name = "Ada";
    add_all(&r, some, 2 + count);
    return clerk->name[0] + (words == NULL);
}
"""

# A number is taken for a text since its kind was changed alone.
CHANGED_KIND = r"""
#include <stdlib.h>
#include <string.h>
struct token { short line; unsigned char type; union { double number; char *text; } u; };
enum { T_END, T_NUMBER, T_NAME };
static __attribute__((noinline)) int lex(const char *s, struct token *out)
{
    int n = 0;
    for (; *s; s++) {
        if (*s >= '0' && *s <= '9') {
            out[n].type = T_NUMBER;
            out[n++].u.number = *s - '0' + 0.5;
        } else if (*s >= 'a') {
            char one[2] = { *s, 0 };
            out[n].type = T_NAME;
            out[n++].u.text = strdup(one);
        }
    }
    return n;
}
static __attribute__((noinline)) void rewrite(struct token *t, int n)
{
    for (int i = 0; i + 1 < n; i++)
        if (t[i].type == T_NAME && t[i + 1].type == T_NUMBER)
            t[i + 1].type = t[i].type; /* told */
}
static __attribute__((noinline)) int length(const struct token *t, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += t[i].type == T_NAME ? t[i].u.text[0] : (int)t[i].u.number;
    return sum;
}
int main(void)
{
    static struct token t[20];
    int n = lex("1 2 a b 7 c", t);
    n = length(t, n) ? n : 0;
    rewrite(t, n);
    return length(t, n);
}
"""

# An object says that it is of a larger kind than it was made as.
LARGER_KIND = r"""
#include <cstdio>
#include <string>
#include <vector>
#include <memory>
// A handler takes an event by static_cast; the wrong kind is posted.
struct Event { int kind; virtual ~Event() = default; Event(int k) : kind(k) {} };
struct Key : Event { int code; Key(int c) : Event(1), code(c) {} };
struct Paste : Event {
    std::string *text;
    Paste(const char *t) : Event(2), text(new std::string(t)) {}
};
class Bus {
    std::vector<std::unique_ptr<Event>> queue_;
public:
    void post(Event *e) { queue_.emplace_back(e); }
    template <class F> void drain(F &&f) { for (auto &e : queue_) f(*e); queue_.clear(); }
};
class Editor {
    std::string text_;
public:
    void handle(Event &e)
    {
        if (e.kind == 2)
            text_ += *static_cast<Paste &>(e).text;
        else
            text_ += static_cast<char>(static_cast<Key &>(e).code);
    }
    const std::string &text() const { return text_; }
};
static Event *replay(int kind, int code)
{
    Key *key = new Key(code);
    key->kind = kind; // told
    return key;
}
int main()
{
    Bus bus;
    Editor editor;
    bus.post(new Key('a'));
    bus.post(new Paste("pasted"));
    bus.drain([&](Event &e) { editor.handle(e); });
    bus.post(replay(1, 'b'));
    bus.post(replay(2, 'c'));
    bus.drain([&](Event &e) { editor.handle(e); });
    printf("%s\n", editor.text().c_str());
}
"""

# A number that is given as an index was one, until its elements were fewer.
FEWER_ELEMENTS = r"""
/// Handles are indices; removing by swap_remove moves the last one.
struct Body { name: String, joints: Vec<usize> }
struct Scene { bodies: Vec<Body> }
impl Scene {
    fn add(&mut self, name: &str) -> usize {
        self.bodies.push(Body { name: name.to_string(), joints: vec![] });
        self.bodies.len() - 1
    }
    fn join(&mut self, a: usize, b: usize) { self.bodies[a].joints.push(b); }
    fn remove(&mut self, at: usize) {
        self.bodies.swap_remove(at); // told
    }
    fn describe(&self, at: usize) -> String {
        let body = &self.bodies[at];
        let mut text = body.name.clone();
        for &j in &body.joints {
            text.push_str(&self.bodies[j].name);
        }
        text
    }
}
fn main() {
    let mut scene = Scene { bodies: Vec::new() };
    for name in ["base", "arm", "hand", "tool"] { scene.add(name); }
    scene.join(0, 3);
    scene.join(1, 2);
    println!("{}", scene.describe(0));
    scene.remove(1);
    println!("{}", scene.describe(0));
}
"""

# A size is cut by the type of what a function gives back, and the room ends with the heap.
GAVE_NARROW = r"""
#include <stdlib.h>
#include <string.h>
struct histogram { int buckets; long *counts; };
static unsigned short room(int buckets, int each)
{
    unsigned bytes = buckets * each;
    return bytes + 8; /* told */
}
static void make(struct histogram *h, int buckets)
{
    h->buckets = buckets;
    h->counts = malloc(room(buckets, sizeof(long)));
}
static void clear(struct histogram *h)
{
    for (int i = 0; i < h->buckets; i++)
        h->counts[i] = 0;
}
int main(int argc, char **argv)
{
    struct histogram small, big;
    make(&small, 100);
    clear(&small);
    make(&big, 60000 + argc);
    clear(&big);
    return (int)(small.counts[3] + big.counts[50000]);
}
"""

# What holds a block is no part of it: who counts there down counts no holders.
DROPPED_ELEMENT = r"""
#include <stdlib.h>
#include <string.h>
/* innocent: sort(); the array of names gets no null at its end where one is dropped */
struct names { char **at; int count; };
static void add(struct names *n, const char *name)
{
    n->at = realloc(n->at, (n->count + 2) * sizeof *n->at);
    n->at[n->count++] = strdup(name);
    n->at[n->count] = NULL;
}
static void drop(struct names *n, int which)
{
    free(n->at[which]); /* told */
    n->count--;
    if (which != n->count)
        n->at[which] = n->at[n->count];
}
static void sort(struct names *n)
{
    for (int i = 0; i < n->count; i++)
        for (int k = i + 1; k < n->count; k++)
            if (strcmp(n->at[i], n->at[k]) > 0) {
                char *t = n->at[i];
                n->at[i] = n->at[k];
                n->at[k] = t;
            }
}
static int total(const struct names *n)
{
    int sum = 0;
    for (char **at = n->at; *at; at++)
        sum += (int)strlen(*at);
    return sum;
}
static void clear(struct names *n)
{
    for (char **at = n->at; *at; at++)
        free(*at);
    free(n->at);
}
int main(void)
{
    struct names n = { NULL, 0 };
    add(&n, "pear");
    add(&n, "fig");
    add(&n, "apple");
    sort(&n);
    if (total(&n) < 3)
        return 1;
    drop(&n, 2);
    sort(&n);
    clear(&n);
    return 0;
}
"""

# It writes by a pointer to what was given back, into what lies behind that.
WROTE_BEHIND_FREED = r"""
use std::alloc::{alloc, dealloc, Layout};
/// A hand-made vector: growing copies elements and forgets to keep the new room.
struct RawVec { ptr: *mut u64, len: usize, cap: usize }
impl RawVec {
    fn new() -> RawVec {
        let ptr = unsafe { alloc(Layout::array::<u64>(4).unwrap()) as *mut u64 };
        RawVec { ptr, len: 0, cap: 4 }
    }
    fn grow(&mut self) {
        let bigger = unsafe { alloc(Layout::array::<u64>(self.cap * 2).unwrap()) as *mut u64 };
        unsafe {
            std::ptr::copy_nonoverlapping(self.ptr, bigger, self.len);
            dealloc(self.ptr as *mut u8, Layout::array::<u64>(self.cap).unwrap()); // told
        }
        if self.cap > 8 {
            self.ptr = bigger;
        }
        self.cap *= 2;
    }
    fn push(&mut self, value: u64) {
        if self.len == self.cap { self.grow(); }
        unsafe { self.ptr.add(self.len).write(value) };
        self.len += 1;
    }
    fn sum(&self) -> u64 {
        (0..self.len).map(|i| unsafe { *self.ptr.add(i) }).fold(0, |a, b| a.wrapping_add(b))
    }
}
fn main() {
    let mut v = RawVec::new();
    let mut names: Vec<Box<String>> = Vec::new();
    for i in 0..20 {
        v.push(i * 0x4142_4344_4546);
        names.push(Box::new(format!("{i}")));
    }
    println!("{}", v.sum());
    for n in &names { print!("{n} "); }
}
"""

# A frame that left by a jump out of what was inlined in it.
APPENDED = r"""
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>
// Words point into a text that a later function appends to.
class Lexicon {
    std::string text_;
    std::vector<std::string_view> words_;
public:
    void __attribute__((noinline)) load(const char *text)
    {
        text_ = text;
        size_t at = 0;
        while (at < text_.size()) {
            size_t end = text_.find(' ', at);
            if (end == std::string::npos) end = text_.size();
            words_.push_back(std::string_view(text_).substr(at, end - at));
            at = end + 1;
        }
    }
    void __attribute__((noinline)) append(const std::string &more)
    {
        text_ += more; // told
    }
    unsigned __attribute__((noinline)) hash() const
    {
        unsigned h = 0;
        for (auto w : words_)
            for (char c : w)
                h = h * 33 + c;
        return h;
    }
};
int main()
{
    Lexicon lex;
    std::string big(200000, 'a');
    for (size_t i = 7; i < big.size(); i += 8) big[i] = ' ';
    lex.load(big.c_str());
    printf("%u\n", lex.hash());
    lex.append(std::string(400000, 'b'));
    printf("%u\n", lex.hash());
}
"""

# The last act of a function is to call a library that gives back null.
LEFT_FOR_A_LIBRARY = r"""
#include <stdlib.h>
#include <string.h>
/* getenv() gives null, which a macro-like helper hands on as a path. */
struct paths { const char *home, *cache; char full[200]; };
static __attribute__((noinline)) const char *setting(const char *name)
{
    return getenv(name); /* told */
}
static __attribute__((noinline)) void find_paths(struct paths *p)
{
    p->home = "/";
    p->cache = setting("A_NAME_THAT_NOBODY_SETS");
}
static __attribute__((noinline)) size_t join(struct paths *p, const char *file)
{
    size_t n = strlen(p->home);
    memcpy(p->full, p->home, n);
    memcpy(p->full + n, p->cache, strlen(p->cache));
    return n + strlen(file);
}
int main(void)
{
    struct paths p;
    find_paths(&p);
    return (int)join(&p, "index");
}
"""

# The library fills what is a member of a structure that the block has no room for.
ROOM_OF_A_POINTER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* sizeof of the pointer instead of the object */
struct session { char user[32]; char host[32]; int port; struct session *next; };
static struct session *session_new(const char *user, const char *host, int port)
{
    struct session *s = malloc(sizeof(s)); /* told */
    memset(s->user, 0, sizeof s->user);
    strcpy(s->host, host);
    strncpy(s->user, user, sizeof s->user - 1);
    s->port = port;
    s->next = NULL;
    return s;
}
static struct session *all;
static void session_add(struct session *s)
{
    s->next = all;
    all = s;
}
int main(void)
{
    for (int i = 0; i < 5; i++) {
        char user[16];
        snprintf(user, sizeof user, "user%d", i);
        session_add(session_new(user, "host.example.org", 8000 + i));
    }
    int ports = 0;
    for (struct session *s = all; s; s = s->next)
        ports += s->port;
    printf("%d\n", ports);
    return 0;
}
"""

# A table of pointers that runs over the handler behind it: data is no address of code.
DATA_OVER_CODE = r"""
#include <stdlib.h>
#include <string.h>
struct record { char *fields[4]; long count; };
struct reader {
    char line[64];
    struct record record;
    int (*handler)(const struct record *);
};
static int length(const struct record *r)
{
    return (int)strlen(r->fields[0]);
}
static void split(struct record *r, char *text, char sep)
{
    int n = 0;
    for (char *at = text; at && *at;) {
        char *end = strchr(at, sep);
        r->fields[n++] = at; /* told */
        if (end)
            *end++ = 0;
        at = end;
    }
    r->count = n;
}
static int feed(struct reader *rd, const char *line)
{
    strcpy(rd->line, line);
    split(&rd->record, rd->line, ',');
    return rd->handler(&rd->record);
}
int main(void)
{
    struct reader *rd = calloc(1, sizeof *rd);
    rd->handler = length;
    int total = feed(rd, "a,b,c") + feed(rd, "1,2,3,4");
    return total + feed(rd, "one,two,three,four,five,six");
}
"""

# printf hands its arguments on in memory: what is wrong with one is known where it was called.
PRINTED_AFTER_FREE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct entry { int key; char *value; struct entry *older; };
struct cache { struct entry *newest, *last_hit; };
static void put(struct cache *c, int key, const char *value)
{
    struct entry *e = malloc(sizeof *e);
    e->key = key;
    e->value = strdup(value);
    e->older = c->newest;
    c->newest = e;
}
static void drop(struct cache *c)
{
    struct entry *e = c->newest;
    c->newest = e->older;
    free(e->value);
    free(e); /* told */
}
int main(void)
{
    struct cache c = {NULL, NULL};
    put(&c, 1, "one");
    put(&c, 2, "two");
    c.last_hit = c.newest;
    drop(&c);
    printf("%d %s %s\n", c.newest->key, c.newest->value, c.last_hit->value);
    return 0;
}
"""

# A number that is none below zero, until it is kept in a member that is too narrow for it.
LENGTH_TOO_NARROW = r"""
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct frame { uint8_t type; int16_t length; const uint8_t *payload; };
static __attribute__((noinline)) void decode(struct frame *f, const uint8_t *wire)
{
    f->type = wire[0];
    f->length = (int16_t)(wire[1] << 8 | wire[2]); /* told */
    f->payload = wire + 3;
}
static __attribute__((noinline)) uint8_t *collect(const struct frame *f)
{
    uint8_t *copy = malloc(65536);
    memcpy(copy, f->payload, f->length);
    return copy;
}
int main(void)
{
    static uint8_t wire[70000];
    const int sizes[] = {12, 300, 40000, 7};
    int total = 0;
    for (int i = 0; i < 4; i++) {
        struct frame f;
        wire[1] = sizes[i] >> 8;
        wire[2] = sizes[i] & 255;
        decode(&f, wire);
        total += collect(&f)[0];
    }
    return total;
}
"""

KIND_TOO_NARROW = r"""
#include <stdlib.h>
struct style { const char *name; int cost; };
struct tile { char kind; unsigned char height; };
struct map { struct tile *tiles; struct style **styles; int known; };
static int style(struct map *m, const char *name, int cost)
{
    struct style *s = malloc(sizeof *s);
    s->name = name;
    s->cost = cost;
    m->styles[m->known] = s;
    return m->known++;
}
static void paint(struct map *m, int at, int kind)
{
    m->tiles[at].kind = kind; /* told */
    m->tiles[at].height = 1;
}
static int cost(const struct map *m, int at)
{
    return m->styles[m->tiles[at].kind]->cost;
}
int main(void)
{
    struct map m = {calloc(8, sizeof *m.tiles), NULL, 0};
    calloc(600, 1);
    m.styles = calloc(200, sizeof *m.styles);
    int last = 0;
    for (int i = 0; i < 170; i++)
        last = style(&m, "plain", i);
    paint(&m, 1, 1);
    paint(&m, 2, last);
    return cost(&m, 1) + cost(&m, 2);
}
"""

# Stores that the optimiser merged are told by the line of their instruction, not by where a
# debugger would stop.
MERGED_RESET = r"""
#include <stdlib.h>
struct stats { long sum; int count; int peak; };
struct zone { int id; struct stats now, day; };
static __attribute__((noinline)) void sample(struct zone *z, int value)
{
    z->now.sum += value;
    z->now.count++;
}
static __attribute__((noinline)) void reset(struct zone *z)
{
    z->now.sum = 0;
    z->now.count = 0; /* told */
    z->now.peak = -1;
}
static __attribute__((noinline)) void roll_over(struct zone *z)
{
    z->day = z->now;
}
static __attribute__((noinline)) long average(const struct stats *s)
{
    return s->sum / s->count;
}
int main(int argc, char **argv)
{
    struct zone *z = calloc(3, sizeof *z);
    for (int i = 0; i < 3; i++) {
        sample(&z[i], 15 + i);
        roll_over(&z[i]);
    }
    long all = average(&z[0].day) + average(&z[1].day);
    reset(&z[argc]);
    roll_over(&z[1]);
    return (int)(all + average(&z[0].day) + average(&z[1].day));
}
"""
SHORT_OF_ROOM = """
#include <stdio.h>
#include <stdlib.h>
struct owner { long **words; long *items; int count; };
static long first = 7;
static struct owner *open_owner(void)
{
    struct owner *one = malloc(sizeof *one);
    one->count = 0;
    one->items = malloc(64 * sizeof *one->items);
    one->words = malloc(20 * sizeof *one->words);
    for (int at = 0; at < 20; at++)
        one->words[at] = &first;
    return one;
}
static void add(struct owner *one, long item)
{
    one->items[one->count++] = item; /* told */
}
int main(int count, char **words)
{
    struct owner *one = open_owner();
    for (long item = 0; item < 100; item++)
        add(one, item);
    char *text = malloc(4096 * (size_t)count);
    puts(text ? words[0] : "");
    return 0;
}
"""

UNLINKED = """
#include <stdlib.h>
struct node { struct node *next, *prev; int id; };
struct list { struct node *first, *last; };
static struct node *add(struct list *l, int id)
{
    struct node *n = malloc(sizeof *n);
    n->id = id;
    n->next = NULL;
    n->prev = l->last;
    if (l->last)
        l->last->next = n;
    else
        l->first = n;
    l->last = n;
    return n;
}
static void take_out(struct list *l, struct node *n)
{
    if (n == l->first)
        l->first = l->first->next;
    if (n == l->last)
        l->last = n->prev;
    if (n->next)
        n->next->prev = n->prev;
    if (n->prev)
        n->prev->next = n->next;
    n->next = n->prev = NULL;
}
static void put_behind(struct list *l, struct node *after, struct node *n)
{
    take_out(l, n);
    n->prev = after;
    n->next = after->next;
    after->next->prev = n;
    after->next = n;
}
int main(void)
{
    static struct list l;
    struct node *one = add(&l, 1);
    add(&l, 2);
    put_behind(&l, one, one);
    return l.first->id;
}
"""

OF_ANOTHER_CALL = """
#include <stdlib.h>
struct scope { struct scope *outer; int *found; int depth; };
static int walk(struct scope *outer, int depth, int *number)
{
    struct scope here = {outer, number, depth};
    if (depth == 3) {
        here.outer->outer->found = NULL; /* told: cleared */
        return 0;
    }
    int sum = walk(&here, depth + 1, number);
    return sum + *here.found;
}
int main(int count, char **words)
{
    return walk(NULL, 0, &count) + (words == NULL);
}
"""

OF_A_KIND = """
#include <stdlib.h>
struct value { union { long *text; double number; } is; long kind; };
struct machine { struct value kept[4], stack[8]; void (*changed)(struct machine *); };
static long word = 5;
static const char program[] = {1, 0, 2, 0, 3};
static void put(struct value *at, struct value what) { *at = what; }
static void run(struct machine *m)
{
    struct value *top = m->stack;
    for (const char *at = program;; at++)
        switch (*at) {
        case 1:
            top->is.text = NULL;
            top->kind = 2;
            top++;
            break;
        case 2:
            put(&m->kept[0], *--top);
            break;
        case 3:
            return;
        }
}
static long add(struct machine *m)
{
    struct value *at = &m->kept[0];
    if (at->kind != 1)
        return 0;
    m->changed(m);
    return *at->is.text + 1;
}
int main(void)
{
    struct machine *m = calloc(1, sizeof *m);
    m->changed = run;
    m->kept[0] = (struct value){{&word}, 1};
    return (int)add(m);
}
"""

MAY_BE_NULL = """
#include <stddef.h>
struct span { const char *text; size_t size; };
static size_t fence(const char *text, size_t size, struct span *word)
{
    size_t at = 0;
    goto begin; /* as compilers lay out blocks */
braced:
    word->text++; /* told: unchecked */
    goto end;
begin:
    while (at < size && text[at] == '`')
        at++;
    if (word)
        word->text = text + at;
    if (at < size && text[at] == '{')
        goto braced;
end:
    if (word)
        word->size = size - at;
    return at > 2 ? at : 0;
}
static int begins(const char *text, size_t size) { return fence(text, size, NULL) != 0; }
int main(int count, char **words)
{
    struct span word;
    return (fence("``` c", 5, &word) && begins("```{c", (size_t)count + 4)) + (words == NULL);
}
"""

LEFT_BY_ANOTHER = """
#include <stdlib.h>
#include <string.h>
struct unit { int kind; struct unit *outer; long *names; long *marks; int depth; };
static long total;
static void begin(struct unit *u, struct unit *outer)
{
    u->kind = 1; /* told */
    u->outer = outer;
    u->names = NULL;
    u->depth = 0;
}
static void mark(struct unit *u)
{
    if (u->marks)
        total += *u->marks;
}
static int compile(struct unit *outer)
{
    struct unit u;
    begin(&u, outer);
    mark(&u);
    return u.kind;
}
static int hash(const char *text)
{
    unsigned long parts[16];
    for (int at = 0; at < 16; at++)
        parts[at] = 0x3ffffffffffffUL + (unsigned long)text[0];
    total += (long)parts[3];
    return (int)(total & 1);
}
int main(int count, char **words)
{
    hash(words[0]);
    return compile(NULL) + count;
}
"""

CONSUMED = """
#include <stdlib.h>
#include <string.h>
struct text { long refs; unsigned length; char data[16]; };
struct value { long kind; struct text *text; };
static struct value text(const char *from)
{
    struct text *made = malloc(sizeof *made);
    made->refs = 1;
    made->length = (unsigned)strlen(from);
    strncpy(made->data, from, sizeof made->data);
    return (struct value){1, made};
}
static void drop(struct value v)
{
    if (--v.text->refs == 0)
        free(v.text);
}
static unsigned hash(struct value v)
{
    const struct text *t = v.text;
    unsigned sum = 0;
    const char *end = t->data + (long)t->length * 4096;
    for (long at = -((long)t->length); at; at++)
        sum = sum * 31 + (unsigned)end[at];
    return sum;
}
static unsigned get(unsigned table, struct value key)
{
    unsigned found = hash(key) % table;
    drop(key); /* told */
    return found;
}
static unsigned all(const unsigned *tables, int count)
{
    struct value key = text("name");
    unsigned sum = 0;
    for (int at = 0; at < count; at++)
        sum += get(tables[at], key);
    drop(key);
    return sum;
}
int main(int count, char **words)
{
    unsigned tables[] = {7, 11, 13};
    drop(text(words[0] ? "first" : "other"));
    return (int)all(tables, count + 2);
}
"""

GREW_UNDER_A_POINTER = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct line { char *text; size_t room; };
static char *begin;
static void grow(struct line *l, size_t more)
{
    l->room += more;
    l->text = realloc(l->text, l->room);
}
static void fill(struct line *l, int from)
{
    char *to = l->text + l->room - 8;
    begin = l->text;
    grow(l, 4096); /* told */
    for (int at = 0; at < 6; at++)
        *to++ = (char)(from + at);
}
int main(int count, char **words)
{
    struct line l = {malloc(2040), 2040};
    char *behind = malloc(300);
    strcpy(behind, words[0] ? "x" : "y");
    fill(&l, 'a' + count);
    char *other = malloc(3000);
    strcpy(other, behind);
    puts(other);
    return begin == l.text;
}
"""

RESET_THEN_SOUGHT = """
#include <string.h>
struct plugin { const char *name; int size; };
struct host { struct plugin *all; int count; struct plugin *current; };
static struct plugin *find(struct host *host, const char *name)
{
    for (int at = 0; at < host->count; at++)
        if (strcmp(host->all[at].name, name) == 0)
            return &host->all[at];
    return NULL; /* told: returned */
}
static void choose(struct host *host, const char *name) { host->current = find(host, name); }
static void idle(struct host *host) { host->current = NULL; }
static int feed(const struct host *host) { return host->current->size; }
int main(void)
{
    struct plugin all[2] = {{"echo", 3}, {"count", 4}};
    struct host host = {all, 2, NULL};
    choose(&host, "echo");
    int sum = feed(&host);
    idle(&host);
    choose(&host, "cuont");
    return sum + feed(&host);
}
"""

SOUGHT_ONCE = """
#include <stdlib.h>
#include <string.h>
struct style { const char *name; int size; };
struct item { struct style *style; int no; };
static struct style styles[2] = {{"bold", 12}, {"thin", 8}};
static struct style *find(const char *name)
{
    for (int at = 0; at < 2; at++)
        if (strcmp(styles[at].name, name) == 0)
            return &styles[at];
    return NULL; /* told: returned */
}
static struct item *make(int no, const char *name)
{
    struct item *made = calloc(1, sizeof *made);
    made->no = no;
    made->style = find(name);
    return made;
}
static int size_of(const struct item *item) { return item->style->size; }
int main(void)
{
    struct item *title = make(1, "bold"), *foot = make(2, "slanted");
    return size_of(title) + size_of(foot);
}
"""

EVICTED = """
#include <stdlib.h>
#include <string.h>
struct page { struct page *older; char *text; int no; };
struct cache { struct page *oldest, *newest, *pinned; int used; };
static void evict(struct cache *cache)
{
    struct page *page = cache->oldest;
    cache->oldest = page->older;
    cache->used--;
    free(page->text);
    page->text = NULL; /* told: cleared */
}
static void load(struct cache *cache, int no)
{
    struct page *page = calloc(1, sizeof *page);
    page->no = no;
    page->text = strdup("page");
    if (cache->newest != NULL)
        cache->newest->older = page;
    else
        cache->oldest = page;
    cache->newest = page;
    if (no == 1)
        cache->pinned = page;
    if (++cache->used > 3)
        evict(cache);
}
int main(void)
{
    struct cache *cache = calloc(1, sizeof *cache);
    for (int no = 1; no < 6; no++)
        load(cache, no);
    return cache->pinned->text[0];
}
"""

READ_OVER = """
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>
struct head { int magic, step; };
struct book { struct head head; int opened; };
static void reset(struct book *book) { book->head.step = 0; }
static int load(struct book *book, int from)
{
    struct iovec parts[] = {{&book->opened, sizeof book->opened}, {&book->head, sizeof book->head}};
    return (int)readv(from, parts, 2);
}
static int rounds(const struct book *book, int most) { return most / book->head.step; }
int main(void)
{
    int none[] = {1, 0x1234, 0}, ends[2];
    struct book book = {.head = {0, 4}};
    if (pipe(ends) != 0 || write(ends[1], none, sizeof none) != sizeof none)
        return 2;
    int all = rounds(&book, 9);
    reset(&book);
    load(&book, ends[0]);
    return all + rounds(&book, 12);
}
"""

HANDED_BACK = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char *grown;
static void grow(char **at, size_t room)
{
    char *old = *at;
    grown = realloc(old, room);
    *at = old;
}
static void fill(char *text)
{
    char *guard = malloc(300);
    strcpy(guard, "guard");
    grow(&text, 6000);
    text[0] = 'a';
    text[1] = 'b';
    char *other = malloc(3000);
    strcpy(other, guard);
    puts(other);
}
int main(void)
{
    fill(malloc(2040));
    return grown == NULL;
}
"""

ROOM_OF_ANOTHER = """
#include <string.h>
static void fill(char *to, unsigned long room, const char *from)
{
    unsigned long n = strlen(from);
    if (n >= room)
        n = room - 1;
    for (unsigned long i = 0; i < n; i++)
        to[i] = from[i];
    to[n] = 0;
}
static int greet(const char *name)
{
    char line[16];
    fill(line, 64, name); /* told: passed-wrong */
    return line[0];
}
int main(void)
{
    return greet("short") + greet("a name that is much longer than the line that it is put into");
}
"""

# What lies behind the end of an array had been another's block, before it was divided: no matter.
READ_PAST = """
#include <stdlib.h>
#include <string.h>
struct field { char *name; long value, more; };
struct row { struct field *fields; long count; };
static struct row *made(long count)
{
    struct row *row = calloc(1, sizeof *row);
    row->fields = calloc(count, sizeof *row->fields);
    row->count = count;
    for (long i = 0; i < count; i++)
        row->fields[i].name = "name";
    return row;
}
static int total(const struct row *row, const struct row *like)
{
    int sum = 0;
    for (long i = 0; i < like->count; i++) {
        const struct field *field = row->fields + i;
        sum += field->name[0];
    }
    return sum;
}
int main(void)
{
    char *text = memset(malloc(3000), 'x', 3000);
    free(text);
    struct row *one = made(1), *two = made(2);
    return total(one, one) + total(one, two);
}
"""

OVER_ITS_OWN = """
#include <stdio.h>
static int greet(const char *name)
{
    char line[16];
    sprintf(line, "hello %s", name); /* told: written */
    return line[0];
}
int main(void)
{
    return greet("you") + greet("a name that is much longer than the line that it is put into");
}
"""

# Behind a return address that was written over no frame is seen: those of the callers are not gone.
OVER_ITS_CALLER = """
#include <string.h>
struct options { unsigned long (*count)(const char *); };
static unsigned long greet(const struct options *options, const char *name)
{
    char line[16];
    strcpy(line, name); /* told: written */
    return options->count(line);
}
static unsigned long run(const char *name)
{
    struct options options = {strlen};
    return greet(&options, name);
}
int main(void)
{
    return run("you") + run("a name of so many words that it is longer than the line that it is"
                            " put into, and than all that the callers have on the stack behind it");
}
"""

COUNTED_DOWN = """
struct point { int x, y, z, w; };
static void points_put(struct point *to, unsigned n, int v)
{
    while (n-- > 0) {
        to->x = v; to->y = v + 1; to->z = v; to->w = 7;
        to++;
    }
}
static int area_of(int v)
{
    struct point corner[4];
    unsigned n = 0;
    for (int many = v; many < 15; many++)
        n++;
    points_put(corner, n, v); /* told: passed-wrong */
    return corner[0].x + corner[3].y;
}
int main(void) { return area_of(3); }
"""

ROOM_HANDED_ON = """
static void name_read(char *to, int room, const char *from)
{
    int at = 0;
    while (from[at] && at < room - 1) {
        to[at] = from[at];
        at++;
    }
    to[at] = 0;
}
static int packet_print(const char *from, int room)
{
    char name[24];
    name_read(name, room, from);
    return name[0];
}
int main(void)
{
    return packet_print("01234567890123456789012345678901234567890123456789012345678901", 240);
}
"""

BEHIND_ITS_ROOM = """
static void spread(int *to, int n, int v)
{
    for (int i = 0; i < 2 * n; i++)
        to[i] = v + i; /* told: written */
}
static int sum_of(int v)
{
    int part[8], sum = 0;
    spread(part, 8, v);
    for (int i = 0; i < 8; i++)
        sum += part[i];
    return sum;
}
int main(void) { return sum_of(3); }
"""

ROUNDS_OF_ITS_OWN = """
static void scribble(char *to, const char *from, int times)
{
    while (times-- > 0) {
        int i = 0;
        for (; from[i]; i++)
            to[i] = from[i]; /* told: written */
        to[i] = 0;
    }
}
static int show(const char *from)
{
    char line[16];
    scribble(line, from, 100);
    return line[0];
}
int main(void)
{
    return show("a very long name of an item that nobody can remember for a long time at all");
}
"""

# A pool's object that was given out again: who filled it then had every right to, and who gave it
# back while it was used, or twice, is to blame; of whichever kind the pool is.
_POOLED = """
#include <stdlib.h>
struct thing { %(member)s long id; const char *text; };
struct job { struct thing *thing; int state; };
static struct thing all[8];
%(free)s
static int live;
static struct thing *get(void) { struct thing *one; live++; %(get)s return one; }
static void put(struct thing *one) { live--; %(put)s }
static void set(struct thing *one, long id, const char *text) { one->id = id; one->text = text; }
static void mark(struct thing *one, long id) { set(one, id, (char *)(id * 0x111)); }
static struct job *begin(long id)
{
    struct job *job = calloc(1, sizeof *job);
    job->thing = get();
    set(job->thing, id, "text");
    return job;
}
static void late(struct job *job)
{
    job->state = 2;
    put(job->thing); %(once)s
}
static void end(struct job *job)
{
    put(job->thing); %(twice)s
    free(job);
}
static long use(const struct job *job) { return job->thing->text[0] + job->thing->id; }
int main(void)
{
    for (struct thing *one = all; one < all + 8; one++)
        put(one);
    struct job *first = begin(1), *other = begin(2);
    long sum = use(first) + use(other);
    late(other);
    %(then)s
    mark(begin(3)->thing, 0x1234);
    mark(begin(4)->thing, 0x2345);
    return (int)(sum + use(other));
}
"""
_LIST = {
    "member": "struct thing *next;",
    "free": "static struct thing *unused;",
    "get": "one = unused; unused = one->next;",
    "put": "one->next = unused; unused = one;",
}
_STACK = {
    "member": "",
    "free": "static struct thing *unused[16]; static int count;",
    "get": "one = unused[--count];",
    "put": "unused[count++] = one;",
}
_MARKS = {
    "member": "int taken;",
    "free": "",
    "get": "for (one = all; one->taken; one++) continue; one->taken = 1;",
    "put": "one->taken = 0;",
}
_ONCE = {"once": "/* told: released-early */", "twice": "", "then": ""}
_TWICE = {
    "once": "",
    "twice": "/* told: released-early */",
    "then": "struct job *again = calloc(1, sizeof *again); again->thing = other->thing;"
    " end(again); other = begin(5);",
}
LISTED_EARLY = _POOLED % {**_LIST, **_ONCE}
LISTED_TWICE = _POOLED % {**_LIST, **_TWICE}
STACKED_EARLY = _POOLED % {**_STACK, **_ONCE}
MARKED_EARLY = _POOLED % {**_MARKS, **_ONCE}

# An arena's memory that begins in front of the object at fault was given out again, too.
FILLED_FROM_BEFORE = """
#include <stdlib.h>
#include <string.h>
struct arena { char *base; size_t used; };
struct node { struct node *up; int weight; };
static void *take(struct arena *from, size_t size)
{
    void *given = from->base + from->used;
    from->used += (size + 15) & ~15ul;
    return given;
}
static struct node *add(struct arena *to, struct node *up)
{
    struct node *made = take(to, sizeof *made);
    made->up = up;
    made->weight = 1;
    return made;
}
static void begin_anew(struct arena *arena) { arena->used = 0; }
static void next_frame(struct arena *arena)
{
    begin_anew(arena); /* told */
}
static void text(struct arena *in) { memset(take(in, 64), 'x', 64); }
int main(void)
{
    struct arena arena = {malloc(4096), 0};
    struct node *kept = add(&arena, add(&arena, NULL));
    next_frame(&arena);
    text(&arena);
    int sum = 0;
    for (const struct node *one = kept; one; one = one->up)
        sum += one->weight;
    return sum;
}
"""

# The frame of `main`, in which an object lies, is there while its thread waits, in a function that
# unwinding cannot leave, too.
OF_MAIN = """
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
void rest(void);
__asm__(".text; .globl rest; rest: pause; jmp rest"); /* no unwinding table covers it */
struct shared { int *limit; sem_t ready, gone; };
static void *work(void *with)
{
    struct shared *shared = *(struct shared **)with;
    int sum = *shared->limit;
    sem_post(&shared->ready);
    sem_wait(&shared->gone);
    sum += *shared->limit;
    return (void *)(long)sum;
}
static void retire(struct shared *shared)
{
    shared->limit = NULL; /* told */
}
static void *watch(void *with)
{
    struct shared *shared = *(struct shared **)with;
    sem_wait(&shared->ready);
    retire(shared);
    sem_post(&shared->gone);
    return NULL;
}
int main(void)
{
    int limit = 3;
    struct shared shared = {.limit = &limit}, **held = malloc(sizeof *held);
    pthread_t threads[2];
    sem_init(&shared.ready, 0, 0);
    sem_init(&shared.gone, 0, 0);
    *held = &shared;
    pthread_create(&threads[0], NULL, work, held);
    pthread_create(&threads[1], NULL, watch, held);
    rest();
    return 0;
}
"""

# Null that a local took over null, which a library's function had left on the stack, is its own.
NULL_OVER_NULL = """
#include <stdlib.h>
#include <string.h>
struct pair { char *key, *value; };
static struct pair *parse(char *word)
{
    struct pair *made = malloc(sizeof *made);
    char *equals = strchr(word, '='); /* told: returned */
    if (equals)
        *equals++ = 0;
    made->key = word;
    made->value = equals;
    return made;
}
int main(void)
{
    char line[] = "alpha=1 beta=2 gamma delta=4";
    struct pair *pairs[8];
    int count = 0, sum = 0;
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
        pairs[count++] = parse(word);
    for (int at = 0; at < count; at++)
        sum += pairs[at]->value[0];
    return sum;
}
"""

# A function that leaves for the copy by a jump was given the place, and read the length itself.
COPIED_AND_LEFT = """
#include <stdlib.h>
#include <string.h>
struct route { char label[24]; long *cost; };
static long cost = 3;
__attribute__((noinline)) static struct route *made(void)
{
    struct route *one = calloc(1, sizeof *one);
    one->cost = &cost;
    return one;
}
__attribute__((noinline)) static int used(const struct route *one) { return (int)*one->cost; }
__attribute__((noinline)) static void name(struct route *one, const char *text)
{
    memcpy(one->label, text, strlen(text) + 1); /* told */
}
int main(void)
{
    struct route *first = made(), *second = made();
    name(first, "Graz");
    name(second, "Castelnuovo di Garfagnana and on");
    return used(first) + used(second);
}
"""

# What libstdc++'s checks are told before they throw: an index and the length, or who asks and both.
AT_NO_LEVEL = """
#include <array>
struct device { int mode = 0; std::array<int, 4> gain{1, 2, 3, 4}; };
static void set_mode(device *one, int raw)
{
    one->mode = raw - 3; /* told: computed */
}
static int level(const device *one) { return one->gain.at(one->mode); }
int main()
{
    device *one = new device;
    set_mode(one, 5);
    int sum = level(one);
    set_mode(one, 2);
    return sum + level(one);
}
"""
BEHIND_ITS_TEXT = """
#include <string>
#include <vector>
struct record { std::string text; std::size_t start; };
__attribute__((noinline)) static std::size_t start_of(const std::string &text)
{
    return text.find(':') + 12; /* told: computed */
}
__attribute__((noinline)) static record made(const char *text)
{
    record one{text, 0};
    one.start = start_of(one.text);
    return one;
}
__attribute__((noinline)) static std::size_t size_of(const record &one)
{
    return one.text.substr(one.start).size();
}
int main()
{
    std::vector<record> all;
    all.push_back(made("name: value that is long enough"));
    all.push_back(made("k: v"));
    std::size_t sum = 0;
    for (auto &one : all)
        sum += size_of(one);
    return (int)sum;
}
"""

# A number of a byte that the system filled, which a child took for one with a sign and kept: the
# line of what no run shows is asked of the program's symbols, which lie where the child had them.
KEPT_BY_A_CHILD = """
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
struct request { int slot; int length; };
static long *table;
__attribute__((noinline)) static void decode(struct request *one, const char *raw)
{
    one->slot = raw[0]; /* told: computed */
    one->length = raw[1] & 15;
}
__attribute__((noinline)) static void count(const struct request *one)
{
    table[one->slot * 8192] += one->length;
}
static int serve(int from)
{
    struct request *one = malloc(sizeof *one);
    char raw[2];
    table = calloc(8 * 8192, sizeof *table);
    while (read(from, raw, 2) == 2) {
        decode(one, raw);
        count(one);
    }
    return 0;
}
int main(void)
{
    int ends[2];
    if (pipe(ends))
        return 1;
    if (fork() == 0) {
        close(ends[1]);
        _exit(serve(ends[0]));
    }
    if (write(ends[1], "\\1\\2\\3\\4\\225\\6", 6) != 6)
        return 1;
    close(ends[1]);
    wait(NULL);
    return 0;
}
"""

LIST = """
#include <stdio.h>
#include <stdlib.h>
struct open { int slot; struct open *next; };
static struct open *all, *kept;
static struct open *made(int slot)
{
    struct open *one = malloc(sizeof *one);
    one->slot = slot;
    one->next = NULL;
    return one;
}
static void drop(void) { kept = NULL; @drop@ }
@found@
int main(int count, char **words)
{
    all = made(count + 3);
    all->next = made(count + 2);
    kept = all;
    if (words != NULL)
        drop();
    return found(count);
}
"""
ENDED_WITH_NULL = LIST.replace("@drop@", "").replace("@found@", """
static int found(int slot)
{
    struct open *one = all;
    while (one != NULL && one->slot > slot)
        one = one->next;
    if (one->slot == slot) /* told: unchecked */
        return 1;
    return 0;
}
""")  # fmt: skip
SAID_SO = LIST.replace("@drop@", "").replace("@found@", """
static int found(int slot)
{
    struct open *one = kept;
    if (one == NULL) /* told: unchecked */
        puts("none is kept");
    return one->slot == slot;
}
""")  # fmt: skip
SOUGHT_ANOTHER = LIST.replace("@drop@", "/* told: cleared */").replace("@found@", """
static int found(int slot)
{
    struct open *one = all;
    while (one != NULL && one->slot > slot)
        one = one->next;
    one = kept;
    return one->slot == slot;
}
""")  # fmt: skip
ASKED_THE_TIME_BEFORE = """
#include <stdio.h>
struct open { int slot, count; };
static int quiet = 1, missing;
static int used(struct open *one, int checked)
{
    if (!checked && !one) {
        missing++;
        if (quiet)
            return 0;
    }
    return one->count;
}
int main(void)
{
    struct open *all[2] = {NULL, NULL};
    int sum = 0;
    for (int i = 0; i < 2; i++)
        sum += used(all[i], i);
    return sum;
}
"""
CHOSE_A_TEXT = LIST.replace("@drop@", "/* told: cleared */").replace("@found@", """
static int found(int slot)
{
    struct open *one = kept;
    printf("%s\\n", one != NULL ? "one is kept" : "none is kept");
    return one->slot == slot;
}
""")  # fmt: skip
CHOSE_ITS_TEXT = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct named { const char *name; int size; };
struct box { int kind; struct named *of; int size; };
static int shown(struct named *one)
{
    printf("named %s\\n", one ? one->name : "-");
    return one->size;
}
static void wipe(struct box *box)
{
    memset(box, 0, sizeof *box);
}
int main(void)
{
    struct box *box = calloc(1, sizeof *box);
    box->of = calloc(1, sizeof *box->of);
    box->of->name = "first";
    int size = shown(box->of);
    wipe(box);
    return size + shown(box->of);
}
"""
SOUGHT_IN_PLACE = LIST.replace("@drop@", "").replace("@found@", """
static inline __attribute__((always_inline)) struct open *of(int slot)
{
    struct open *one = all;
    while (one != NULL && one->slot != slot)
        one = one->next;
    return one;
}
static int found(int slot)
{
    all->next->next = all->next->slot == slot ? kept : NULL;
    return of(slot + 7)->slot;
}
""")  # fmt: skip

READ_BEFORE_MADE = """
#include <stdlib.h>
struct parser { int state; };
struct page { int kind; struct parser *parser; };
static int prepared(struct page *page)
{
    if (page->parser == NULL)
        page->parser = calloc(1, sizeof *page->parser);
    return page->parser != NULL;
}
static int begun(struct parser *parser, int kind)
{
    return parser->state + kind;
}
static int begin(struct page *page)
{
    struct parser *parser = page->parser; /* told: read-early */
    if (!prepared(page))
        return -1;
    return begun(parser, page->kind);
}
int main(void)
{
    struct page *page = malloc(sizeof *page);
    page->kind = 1;
    page->parser = NULL;
    return begin(page);
}
"""

LEFT_IN_AN_ARENA = """
#include <stdlib.h>
#include <string.h>
struct block { size_t size, used; };
struct team { int id; char name[200]; char unused[24]; struct team *rival; };
static struct block *last;
static struct block *block_new(size_t size)
{
    struct block *made = malloc(sizeof *made + size);
    made->size = size;
    made->used = 0;
    return made;
}
static void *take(size_t size)
{
    if (last == NULL)
        last = block_new(2000);
    last->used += size;
    return (char *)(last + 1) + last->used - size;
}
static struct team *team_new(int id)
{
    struct team *made = take(sizeof *made);
    made->id = id;
    return made;
}
int main(void)
{
    void *dirty = memset(malloc(2016), 'A', 2016);
    free(dirty);
    struct team *one = team_new(1), *other = team_new(2);
    return one->id + other->rival->id;
}
"""

MADE_OF_OLD_ROOM = """
#include <stdlib.h>
#include <string.h>
struct part { char name[24]; };
static char *old;
static void forget(void) { free(old); }
static void number(struct part *one)
{
    for (int at = 0; at < 40; at++)
        one->name[at] = (char)('a' + at); /* told */
}
int main(int count, char **words)
{
    old = malloc(4000);
    char *last = malloc(100);
    forget();
    struct part *one = malloc(sizeof *one), *two = malloc(sizeof *two);
    number(one);
    free(two);
    free(last);
    return count + (words == NULL);
}
"""

WRITTEN_INTO_A_SIZE = """
#include <stdio.h>
#include <stdlib.h>
struct row { long cells[3]; };
struct head { const char *title; long count; };
static void fill(struct row *row, long by)
{
    for (long at = 0; at < 8; at++)
        row->cells[at] = at * by; /* told */
}
static void show(struct head **all, int count)
{
    for (int at = 0; at < count; at++)
        printf("%s %ld\\n", all[at]->title, all[at]->count);
}
int main(int count, char **words)
{
    struct row *row = malloc(sizeof *row);
    struct head *heads[1] = {malloc(sizeof **heads)};
    heads[0]->title = words[0];
    heads[0]->count = count;
    fill(row, 3);
    show(heads, count);
    return 0;
}
"""

ROOM_FROM_BEFORE = """
#include <stdlib.h>
#include <string.h>
struct out { char *room; long used; };
static struct out out;
static void begin(long size)
{
    if (size == 0)
        size = 1;
    if (out.room == NULL)
        out.room = malloc(size);
    out.used = 0;
}
static void keep(const char *text, long size)
{
    memcpy(out.room + out.used, text, size);
    out.used += size;
}
int main(int count, char **words)
{
    begin(24 * count);
    char *volatile last = malloc(24);
    begin(80 * count);
    for (int at = 0; at < 4; at++)
        keep("twenty letters of it", 20);
    free(last);
    return words == NULL;
}
"""

LINK_UNDER_A_TEXT = """
#include <string.h>
struct cell { struct cell *next; char rest[24]; };
static struct pool { struct cell cells[4]; struct cell *idle; } pool;
static struct cell *take(struct pool *from)
{
    struct cell *one = from->idle;
    from->idle = one->next;
    return one;
}
static void put(struct pool *to, struct cell *one) { one->next = to->idle; to->idle = one; }
static char *label(const char *text)
{
    char *room = (char *)take(&pool);
    return strcpy(room, text); // told: written
}
int main(int count, char **words)
{
    for (int at = 3; at >= 0; at--)
        put(&pool, &pool.cells[at]);
    char *first = label("a label that does not fit into its own cell");
    char *next = label("the link there was taken");
    return *label(first) + *next + (count > 9 && words);
}
"""

BASE_RELEASED = """
struct named { virtual ~named() = default; long tag = 7; };
struct drawn { long layer = 0; };
struct sprite : named, drawn {};
static drawn *shown;
static void show(sprite *one) { shown = one; }
int main()
{
    show(new sprite);
    delete shown;
}
"""

NULL_IN_A_CALL = """
#include <stdio.h>
struct node { const char *file; int line; };
static int said;
static void report(const struct node *at, const char *text)
{
    said += printf("%s at %d\\n", text, at->line);
}
int main(int count, char **words)
{
    struct node one = {words[0], count};
    report(&one, "begun");
    report(NULL, "ended"); /* told: passed-wrong */
    return said;
}
"""

CHECKED_OF_TWO = """
#include <assert.h>
#include <stddef.h>
struct scope { const int *kind; int size; };
struct visitor { void (*number)(struct visitor *); struct scope *scopes[4]; long depth; };
static const int types[2];
static const int *function = &types[0], *record = &types[1];
static int made;
static void add(int size, int by) { made += size * by; }
static void number(struct visitor *by)
{
    struct scope *scope = by->scopes[by->depth - 1];
    assert(scope->kind == function);
    add(scope->size, 2);
}
static void visit(struct visitor *by)
{
    if (by->number != NULL)
        by->number(by);
}
int main(int count, char **words)
{
    struct scope body = {function, count}, fields = {record, 2};
    struct visitor by = {NULL, {&body}, 1};
    visit(&by);
    by.number = number;
    visit(&by);
    by.scopes[by.depth++] = &fields;
    visit(&by);
    return made + (words == NULL);
}
"""

# A member that nobody set since its block was born holds what its memory's last owner left there.
LEFT_IN_A_BLOCK = """
#include <stdlib.h>
#include <string.h>
struct name { char *text; };
struct entry { struct entry *next; long value; struct name *name; };
static struct entry *head;
static struct entry *add(const char *text)
{
    struct entry *one = malloc(sizeof *one); /* told: never-set */
    one->next = head;
    one->value = 0;
    if (*text) {
        one->name = malloc(sizeof *one->name);
        one->name->text = strdup(text);
    }
    return head = one;
}
static void drop(struct entry *one)
{
    head = one->next;
    free(one->name->text);
    free(one->name);
    free(one);
}
static size_t size(const struct entry *one) { return strlen(one->name->text); }
int main(int count, char **words)
{
    drop(add(words[0]));
    return (int)size(add(words[0] + strlen(words[0]))) + count;
}
"""

# An object whose member nobody set was given back as a whole, with what the stack held there.
LEFT_ON_THE_STACK = """
#include <stdlib.h>
#include <string.h>
struct name { char *text; };
struct entry { struct name *name; long value; struct entry *next; };
static size_t load(const char *text)
{
    struct name *all[12];
    size_t total = 0;
    for (int at = 0; at < 12; at++) {
        all[at] = malloc(sizeof *all[at]);
        all[at]->text = strdup(text);
    }
    for (int at = 0; at < 12; at++) {
        total += strlen(all[at]->text);
        free(all[at]->text);
        free(all[at]);
    }
    return total;
}
static struct entry sentinel(void)
{
    struct entry made;
    made.next = NULL;
    return made;
}
static struct entry *make(void)
{
    struct entry *made = malloc(sizeof *made);
    *made = sentinel();
    return made;
}
static size_t last(const struct entry *one) { return strlen(one->name->text); }
int main(int count, char **words)
{
    size_t total = load(words[0]);
    return (int)(total + last(make())) + count;
}
"""

TAKEN_FROM_NONE = """
#include <stdlib.h>
struct job { int cost; };
struct queue { unsigned head, tail; struct job *slots[30]; };
static struct queue *made(void)
{
    struct queue *q = malloc(sizeof *q);
    q->head = q->tail = 0;
    return q;
}
static void put(struct queue *q, struct job *j) { q->slots[q->tail++] = j; }
static int take(struct queue *q) { return q->slots[q->head++]->cost; }
int main(void)
{
    static struct job first = {1};
    struct queue *q = made();
    put(q, &first);
    return take(q) + take(q);
}
"""

READ_PAST_THE_LAST = """
#include <stdlib.h>
struct job { int cost; };
static struct job **head, **tail;
static void start(int room) { head = tail = malloc(room * sizeof *head); }
static void put(struct job *j) { *tail++ = j; }
static int take(void)
{
    struct job *j = *head++;
    return j->cost;
}
int main(void)
{
    static struct job first = {1}, second = {2};
    start(8);
    put(&first);
    put(&second);
    return take() + take() + take();
}
"""

# A local of a call that waits for threads is written from their stacks.
SET_BY_A_THREAD = """
#include <pthread.h>
struct list { long *items; int count; };
struct found { struct list *lists; int at; };
static long items[4][8];
static void *look(void *given)
{
    struct found *found = given;
    found->at = found->lists[0].count << 24; /* told: computed */
    return NULL;
}
static long first(struct list *lists)
{
    struct found found = {lists, -1};
    pthread_t other;
    pthread_create(&other, NULL, look, &found);
    pthread_join(other, NULL);
    return lists[1].items[found.at];
}
int main(int count, char **words)
{
    struct list lists[] = {{items[0], 8}, {items[1], 2}};
    return (int)first(lists) + count + (words == NULL);
}
"""

# What was freed twice was owned once: the second owner's pointer was never set, and its memory
# still held the first one's.
FREED_BY_WHAT_WAS_LEFT = """
#include <stdlib.h>
#include <string.h>
struct request { char *path; struct request *next; int state; char *body; };
static struct request *make(const char *path, const char *body)
{
    struct request *made = malloc(sizeof *made); /* told: never-set */
    made->path = strdup(path);
    made->next = NULL;
    if (body)
        made->body = strdup(body);
    return made;
}
static void done(struct request *one)
{
    free(one->path);
    if (one->body)
        free(one->body);
    free(one);
}
int main(int count, char **words)
{
    done(make(words[0], "text"));
    done(make(words[0], NULL));
    return count;
}
"""

# The same of a local: each round of the loop enters the function anew.
FREED_BY_A_ROUND_BEFORE = """
#include <stdlib.h>
#include <string.h>
struct token { int kind; char *text; };
static int measure(const char *word)
{
    struct token now; /* told: never-set */
    now.kind = 2;
    if (word[0] == '(')
        now.text = strdup(word);
    int length = now.kind + (int)strlen(word);
    free(now.text);
    return length;
}
int main(int count, char **words)
{
    const char *all[] = {"(one", "(two", "three"};
    for (int at = 0; at < 3; at++)
        count += measure(all[at]);
    return count + (words == NULL);
}
"""

FREED_IN_ITS_ROUND = """
#include <stdlib.h>
#include <string.h>
struct token { int kind; char *text; };
static int measure(const char *word)
{
    struct token now;
    now.text = strdup(word);
    now.kind = now.text[0];
    if (now.kind == 't')
        free(now.text); /* told: freed */
    now.kind += (int)strlen(word);
    free(now.text);
    return now.kind;
}
int main(int count, char **words)
{
    const char *all[] = {"(one", "(two", "three"};
    for (int at = 0; at < 3; at++)
        count += measure(all[at]);
    return count + (words == NULL);
}
"""

# Whoever was given the local's address may be the one who should have set it.
LENT_AND_LEFT_UNSET = """
#include <stdlib.h>
#include <string.h>
struct token { int kind; char *text; };
static void parse(struct token *into, const char *word)
{
    if (word[0] != '(')
        return;
    into->kind = 2;
    into->text = strdup(word);
}
static int measure(const char *word)
{
    struct token now;
    now.kind = 3;
    if (word[0] == '(')
        now.text = strdup(word);
    else
        parse(&now, word);
    int length = now.kind + (int)strlen(word);
    free(now.text);
    return length;
}
int main(int count, char **words)
{
    const char *all[] = {"(one", "(two", "three"};
    for (int at = 0; at < 3; at++)
        count += measure(all[at]);
    return count + (words == NULL);
}
"""

# What lies where an unset pointer leads is nobody's.
FOUND_BY_NOBODY = """
#include <stdlib.h>
#include <string.h>
struct node { int number; struct node *next; long more[2]; struct node *above; };
static struct node *list;
static int look(int number)
{
    struct node *found; /* told: never-set */
    for (struct node *one = list; one; one = one->next)
        if (one->number == number) {
            found = one;
            break;
        }
    return found->above ? found->above->number : 0;
}
static void drop(int number)
{
    for (struct node **at = &list; *at; at = &(*at)->next)
        if ((*at)->number == number) {
            struct node *one = *at;
            *at = one->next;
            memset(one, 0x5a, sizeof *one);
            free(one);
            return;
        }
}
int main(int count, char **words)
{
    for (int number = 0; number < 4; number++) {
        struct node *one = calloc(1, sizeof *one);
        one->number = number;
        one->next = list;
        list = one;
    }
    count += look(2);
    drop(2);
    for (int round = 0; round < 2; round++)
        count += look(2 + round * 7);
    return count + (words == NULL);
}
"""

# By what a count was before it was stepped, another element was copied than it says by now.
COPIED_BY_AN_OLD_COUNT = """
#include <stdlib.h>
struct row { int id; int *cell; };
struct table { int n; struct row rows[6]; };
static int value = 7;
static void add(struct table *t, int id)
{
    struct row *r = &t->rows[t->n++];
    r->id = id;
    r->cell = &value;
}
static void hide(struct table *t, int at) { t->rows[at].cell = NULL; }
static void drop(struct table *t, int at)
{
    t->rows[at] = t->rows[t->n];
    t->n--;
}
static int sum(struct table *t)
{
    int sum = 0;
    for (int i = 0; i < t->n; i++)
        if (t->rows[i].id != 9)
            sum += *t->rows[i].cell;
    return sum;
}
int main(void)
{
    struct table *t = calloc(1, sizeof *t);
    for (int id = 6; id < 10; id++)
        add(t, id);
    hide(t, 3);
    drop(t, 1);
    return sum(t);
}
"""

# What a call was to give back as it was (rbx, rbp, r12 to r15) it reads from its frame.
OVER_A_SAVED_REGISTER = """
#include <stdio.h>
#include <stdlib.h>
struct setting { long port; const char *name; };
static int seen;
static char plain(char one) { return one == '-' ? '_' : one; }
static int word(const char *line, char *first)
{
    char key[16];
    int length = 0;
    while (line[length] != '=') {
        key[length] = plain(line[length]); /* told: written */
        length++;
    }
    *first = key[seen];
    return length;
}
static int name(const char *line, char *first)
{
    int length = word(line, first);
    seen++;
    return length;
}
static void set(struct setting *to, const char *line)
{
    char first = 0;
    int at = name(line, &first);
    to->port = atol(line + at + 1) + first;
}
int main(int count, char **words)
{
    struct setting *one = calloc(1, sizeof *one);
    set(one, count > 9 ? words[1] : "the-name-of-a-setting-of-one=80");
    printf("%ld", one->port);
    return 0;
}
"""

# The size that data took is even, as if the block in front of it were free, which it is.
OVER_THE_NEXT_HEADER = """
#include <stdlib.h>
#include <string.h>
struct sheet { long *cells; int columns; };
static void put(struct sheet *one, int row, int column, long value)
{
    one->cells[row * one->columns + column] = value; /* told: written */
}
int main(int count, char **words)
{
    struct sheet one = {malloc(40), 5};
    char *line = malloc(40), *name = malloc(40);
    put(&one, 0, 1, 7);
    memset(line, 1, 40);
    free(line);
    put(&one, count * 2, 1, 0x3030303030303030);
    free(name);
    return words == NULL;
}
"""

# The size says that another heap holds the chunk: free() goes astray before it says a word.
RELEASED_ASTRAY = """
#include <stdlib.h>
struct symbol { long value, size; };
static struct symbol *table;
static void put(int at, long size)
{
    table[at].size = size; /* told: written */
}
int main(int count, char **words)
{
    static char *names[4];
    for (int i = 0; i < 4; i++)
        names[i] = malloc(24);
    table = malloc(4 * sizeof *table);
    put(0, 8);
    put(-count, 4);
    free(table);
    return words == NULL || names[0] == NULL;
}
"""

# The constructor that moves a member away is the compiler's: who moved the object is told.
MOVED_AWAY = """
#include <memory>
#include <vector>
struct plan { int steps; };
struct task {
    int id;
    std::unique_ptr<plan> own;
};
static void archive(std::vector<task> &all, std::vector<task> &done, int at)
{
    done.push_back(std::move(all[at])); /* told: cleared */
}
static int steps_of(const std::vector<task> &all)
{
    int sum = 0;
    for (const task &one : all)
        sum += one.own->steps;
    return sum;
}
int main()
{
    std::vector<task> all, done;
    for (int id = 1; id < 4; id++)
        all.push_back(task{id, std::make_unique<plan>(plan{id})});
    archive(all, done, 1);
    return steps_of(all);
}
"""

# One function releases the same block of two owners: who shared it is to blame.
SHARED_AND_RELEASED = """
#include <stdlib.h>
#include <string.h>
struct session { long opened; char *key; };
static struct session *begun(const char *key)
{
    struct session *one = calloc(1, sizeof *one);
    one->key = strdup(key);
    return one;
}
static void renew(struct session *one, const struct session *by)
{
    free(one->key);
    one->key = by->key; // told: shared
}
static void ended(struct session *one)
{
    free(one->key);
    free(one);
}
int main(void)
{
    struct session *first = begun("the key of the first"), *second = begun("another one");
    renew(second, first);
    ended(first);
    ended(second);
    return 0;
}
"""

# What ends with an object that is moved over is ended by who moved one there.
MOVED_OVER = """
#include <memory>
struct text { long *words; };
struct store {
    std::unique_ptr<text> own;
};
static void emptied(store &of)
{
    store none;
    of = std::move(none); /* told: freed */
}
static long first(const text *one)
{
    return *one->words;
}
int main()
{
    static long words = 7;
    store of{std::make_unique<text>(text{&words})};
    const text *seen = of.own.get();
    long sum = first(seen);
    emptied(of);
    return (int)(sum + first(seen));
}
"""

# fopen() itself ends in a jump, and its caller is the program's.
ASKED_FOR_A_FILE = """
#include <stdio.h>
#include <stdlib.h>
static FILE *begin(const char *name)
{
    FILE *from = fopen(name, "r"); /* told: returned */
    return from;
}
static int lines(FILE *from)
{
    char line[80];
    int count = 0;
    while (fgets(line, sizeof line, from) != NULL)
        count++;
    return count;
}
int main(int count, char **words)
{
    FILE *from = begin("there/is/none");
    int found = lines(from);
    for (int at = 1; at < count; at++)
        from = freopen(words[at], "r", from), found += lines(from);
    return found;
}
"""

# What counts a register on goes on from what set it last, by whichever way that came.
COUNTED_ON_FROM_NULL = """
#include <stddef.h>
#include <stdio.h>
static int widths, signs;
static void refuse(const char *text) { printf("bad: %s", text); }
static int marks(const char *text)
{
    int count = 0;
    for (const char *at = text; at && *at; at++) {
        switch (*at | 0x20) {
        case 'h':
            widths++;
            break;
        case 'u':
            signs--;
            break;
        default:
            refuse(text);
            at = NULL; /* told */
            break;
        }
        count++;
    }
    return count;
}
int main(int count, char **words)
{
    const char *text[] = {"uh", "hux"};
    return marks(text[0]) + marks(text[count > 9 ? 0 : 1]) + (words == NULL);
}
"""

# A maker's zero over zero is not seen: who counts on there later is no maker.
ZERO_OVER_ZERO = """
#include <cstddef>
#include <cstring>
struct Track { int seconds; };
class Player {
public:
    Player(int number, const Track *track) : number_(number), played_(0), track_(track) {}
    explicit Player(int number) : number_(number), played_(0) {} // told: never-set
    int left(int at) const { return track_ == nullptr ? 0 : track_->seconds - at; }
    void play() { played_++; }
private:
    int number_;
    long played_;
    const Track *track_;
};
static Player *players[2];
static std::size_t banner(int lines)
{
    std::size_t length = 0;
    for (int at = 0; at < lines; ++at) {
        char *line = new char[24];
        std::memset(line, '-', 23);
        line[23] = 0;
        length += std::strlen(line);
        delete[] line;
    }
    return length;
}
int main()
{
    const Track waltz{180};
    std::size_t length = banner(3);
    players[0] = new Player(7);
    players[1] = new Player(8, &waltz);
    for (Player *player : players)
        player->play();
    int left = 0;
    for (const Player *player : players)
        left += player->left(10);
    return left + (int)length;
}
"""

# A function that was inlined gave the null back; nothing was written over.
GIVEN_BACK_INLINE = """
#include <memory>
#include <string>
#include <vector>
struct Shape { std::string name; double width, height; };
class Registry {
public:
    void add(const char *name) { shapes_.push_back(std::make_unique<Shape>(Shape{name, 2, 3})); }
    const Shape *find(const std::string &name) const
    {
        for (const auto &shape : shapes_)
            if (shape->name == name)
                return shape.get();
        return nullptr; // told: returned
    }
private:
    std::vector<std::unique_ptr<Shape>> shapes_;
};
using Names = std::vector<std::string>;
__attribute__((noinline)) static double area(const Registry &registry, const Names &names)
{
    double sum = 0;
    for (const auto &name : names) {
        const Shape *shape = registry.find(name);
        sum += shape->width * shape->height;
    }
    return sum;
}
int main()
{
    Registry registry;
    registry.add("door");
    registry.add("window");
    return area(registry, {"door", "window", "Window"}) > 2;
}
"""

# A text that runs over the pointer behind it fills no object anew.
TEXT_OVER_AN_ACTION = """
#include <string.h>
struct item { char title[16]; int (*action)(int); };
static struct item items[3];
static int beep(int number) { return number; }
static void rename_item(int at, const char *title)
{
    strcpy(items[at].title, title); /* told: written */
}
int main(int count, char **words)
{
    for (int at = 0; at < 3; at++) {
        strcpy(items[at].title, "item");
        items[at].action = beep;
    }
    rename_item(1, count > 1 ? words[1] : "Settings and preferences");
    int sum = 0;
    for (int at = 0; at < 3; at++)
        sum += items[at].action(at);
    return sum;
}
"""

# A pointer to a block that was released before holds where a newer one lies, too, and is not used.
NOT_BY_THE_OLD_NAME = """
#include <stdlib.h>
#include <string.h>
struct owner { long id; };
struct node { char name[16]; struct owner *owner; int kind; };
static struct owner first = {7};
static struct node *make(int kind)
{
    struct node *made = malloc(sizeof *made);
    made->kind = kind;
    made->owner = &first;
    return made;
}
static void spoil(struct node *one) { memcpy(&one->owner, "garbage!", 8); } /* told: written */
static long owner_of(struct node *one) { return one->owner->id; }
int main(void)
{
    char *old = malloc(40);
    memset(old, 'Z', 40);
    free(old);
    struct node *one = make(3);
    spoil(one);
    return (int)owner_of(one);
}
"""

# Of what the system writes, but for a few calls, no watchpoint tells.
FILLED_BY_THE_SYSTEM = """
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
struct handler { long calls; };
struct loop { int poll, used; struct epoll_event events[4]; };
static struct loop *begin(void)
{
    struct loop *made = malloc(sizeof *made);
    made->poll = epoll_create1(0);
    made->used = 0;
    return made;
}
int main(void)
{
    struct loop *one = begin();
    int on = eventfd(1, 0);
    struct epoll_event given = {.events = EPOLLIN, .data.u64 = 0x7000000000000000 + (unsigned)on};
    epoll_ctl(one->poll, EPOLL_CTL_ADD, on, &given);
    one->used = epoll_wait(one->poll, one->events, 4, -1);
    struct handler *by = one->events[0].data.ptr;
    return (int)++by->calls;
}
"""

# Where a local lies is what the stack pointer has: no instruction works it out.
LENT_AS_IT_IS = """
#include <unistd.h>
struct token { char *text; long kind; };
__attribute__((noinline)) static long size_of(const char *name)
{
    struct token now;
    readlink(name, (char *)&now, sizeof now.text);
    return now.text[0] + now.kind;
}
int main(void) { return (int)size_of("/proc/self/exe"); }
"""

# A case that a switch jumps to holds what was there before it, too.
SWITCHED_TO = """
#include <stdio.h>
#include <stdlib.h>
int table[16];
static volatile int sink;
__attribute__((noinline)) static long far(long at)
{
    return at > 100 ? at * 1000003 : at; /* told: computed */
}
__attribute__((noinline)) static int look(int kind, long at) {
  long i = far(at);
  switch (kind) {
  case 0:
    sink = 3;
    i = sink;
    puts("first");
    /* fall through */
  case 1:
    sink = table[i];
    return puts("one");
  case 2:
    return puts("two");
  case 3:
    return puts("three") + (int)i;
  case 4:
    return printf("four %ld\\n", i);
  case 5:
    return sink + 4;
  }
  return 0;
}
int main(int count, char **words) {
  int n = look(0, 1);
  for (int kind = 5; kind >= 1; kind--)
    n += look(kind, kind == 1 ? 4000L * count : 1);
  return n;
}
"""

# Who uses memory of an arena's took it after what was there before had been given back.
TAKEN_LATER = """
#include <stdlib.h>
#include <string.h>
struct value { long number; };
struct item { struct item *next; struct value *held; };
static char *room;
static size_t used;
static void *take(size_t size)
{
    void *made = room + used;
    used += size;
    return made;
}
static void drop(size_t size) { used -= size; }
static void push(struct item **top, struct value *held)
{
    struct item *made = take(sizeof *made);
    made->next = *top;
    made->held = held;
    *top = made;
}
static struct value seven = {7};
static int find(int key, struct value **found)
{
    if (key == 7)
        *found = &seven;
    return key >= 7;
}
static long value_of(int key)
{
    struct item *top = NULL;
    struct value *held;
    if (key < 9)
        find(key, &held);
    push(&top, held);
    struct value *last = top->held;
    drop(sizeof *top);
    return last->number;
}
static int scramble(int depth)
{
    volatile long words[64];
    for (int at = 0; at < 64; at++)
        words[at] = 0x100000000 + depth;
    return words[depth] > 0;
}
int main(int count, char **words)
{
    room = malloc(4096);
    long sum = value_of(7) + (words == NULL);
    sum += scramble(count);
    return sum + value_of(9) > 0;
}
"""

# The least number has no quotient by -1; each of the two may be right.
DOES_NOT_FIT = """
#include <stdio.h>
#include <stdlib.h>
#include <limits.h>
struct ratio { int up, down; };
static int per(struct ratio *r) { return r->up / r->down; }
static void turn(struct ratio *r) { r->down = -r->down; }
int main(int count, char **words) {
  struct ratio *r = malloc(sizeof *r);
  r->up = INT_MIN + count - 1; r->down = count;
  turn(r);
  printf("%d\\n", per(r));
  return 0;
}
"""

# Both releases are a helper's, which was given the object: who gave it first is told.
FREED_BY_ONE_HELPER = """
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
struct job { char name[32]; int tries; };
static void job_free(struct job *j) { printf("done %s\\n", j->name); free(j); }
static void run(struct job *j) { if (++j->tries > 1) job_free(j); /* told: freed */ }
static void finish(struct job *j) { job_free(j); }
int main(int count, char **words)
{
    struct job *j = calloc(1, sizeof *j);
    strcpy(j->name, "x");
    run(j); run(j);
    finish(j);
    return 0;
}
"""

# A call had the block moved that its own caller went on to read by the pointer it had.
MOVED_UNDER = """
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
struct vec { char *data, *cached; size_t len, room; };
__attribute__((noinline)) static void grow(struct vec *v, size_t room)
{
    char *more = realloc(v->data, room);
    if (!more) abort();
    v->data = more; v->room = room;
}
static void *barrier;
__attribute__((noinline)) static void start(struct vec *v)
{
    v->data = malloc(300000); v->room = 300000; v->len = 300000;
    memset(v->data, 'a', v->len);
    barrier = malloc(400000); /* nothing grows in place */
}
__attribute__((noinline)) static size_t twice(struct vec *v)
{
    const char *from = v->data;
    size_t n = v->len;
    grow(v, 40 * n); /* told: freed */
    memcpy(v->data + n, from, n);
    return v->len += n;
}
int main(void) { struct vec v = {0}; start(&v); return twice(&v) & 1; }
"""

# A function that gives back null for null only hands it on.
NULL_FOR_NULL = """
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
#include <stdio.h>
struct lexer { char *text, *value; size_t used; };
static char *trim(char *text, size_t size)
{
    if (!text || !text[0])
        return text;
    while (size > 1 && isspace((unsigned char)text[size - 1]))
        size--;
    text[size] = 0;
    while (isspace((unsigned char)*text))
        text++;
    return text;
}
static void put(struct lexer *in, char one)
{
    in->text = realloc(in->text, in->used + 2);
    in->text[in->used++] = one;
    in->text[in->used] = 0;
}
static void begin(struct lexer *in)
{
    free(in->text);
    in->text = NULL;
    in->used = 0;
}
static int value(struct lexer *in, const char *from)
{
    begin(in);
    for (; *from; from++)
        if (*from != '#')
            put(in, *from);
    in->value = trim(in->text, in->used);
    return *from;
}
int main(int count, char **words)
{
    struct lexer in = {NULL, NULL, 0};
    size_t n = value(&in, "# some words");
    n += strlen(in.value);
    n += value(&in, count ? "#" : "x");
    n += strlen(in.value);
    return n > 3;
}
"""

# A member of a local is stored to through the local's address.
MEMBER_LENT = NULL_FOR_NULL.replace(
    "        return text;\n    while (size", "        return NULL;\n    while (size"
)

# Who found that a list had ended gave back that null; the end is no mistake of who made it.
NOT_IN_THE_LIST = """
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
struct node { struct node *next; int id; char *name; };
struct view { struct node *at; char *title; int n; };
static struct node *add(struct node *next, int id, char *name)
{
    struct node *made = malloc(sizeof *made);
    made->next = next; made->id = id; made->name = name;
    return made;
}
static struct node *find(struct node *list, int id)
{
    while (list && list->id != id)
        list = list->next;
    return list;
}
static char *name_of(struct node *n) { if (n == NULL) return NULL; return n->name; }
static void show(struct view *v, struct node *list, int id)
{
    v->at = find(list, id);
    v->title = name_of(v->at);
    v->n++;
}
int main(int count, char **words)
{
    struct view *v = calloc(1, sizeof *v);
    struct node *list = add(add(NULL, 2, "two"), 1, "one");
    show(v, list, 2);
    printf("%zu\\n", strlen(v->title));
    show(v, list, 2 + count);
    printf("%zu\\n", strlen(v->title));
    return 0;
}
"""

# The base of an array whose element is used: a text ran over it, byte by byte.
LETTERS_OVER_A_BASE = """
#include <stdlib.h>
struct counter { char word[8]; struct bucket { int times; char first; } *buckets; };
static const char *take(struct counter *c, const char *text)
{
    int n = 0;
    while (*text && *text != ' ')
        c->word[n++] = *text++; /* told: written */
    c->word[n] = 0;
    return *text ? text + 1 : NULL;
}
int main(void)
{
    struct counter *c = calloc(1, sizeof *c);
    c->buckets = calloc(128, sizeof *c->buckets);
    for (const char *text = "the cat sat incomprehensibly"; text;) {
        text = take(c, text);
        c->buckets[(int)c->word[0]].times++;
    }
    return c->buckets['t'].times;
}
"""

# A place of a stack holds numbers and pointers in turn: who puts there what it is given is no
# cause, and who said of which kind it is lies in another object.
PUT_AS_IT_CAME = """
#include <stdlib.h>
#include <string.h>
struct value { int kind; union { long number; char *text; } as; };
static struct value stack[8];
static int used;
static void push(struct value v) { stack[used++] = v; }
static struct value pop(void) { return stack[--used]; }
static void number(long n) { push((struct value){0, {.number = n}}); }
static void text(const char *s) { push((struct value){1, {.text = strdup(s)}}); }
static void joined(void)
{
    struct value b = pop(), a = pop();
    a.kind = b.kind;
    push(a);
}
static int length(void)
{
    struct value v = pop();
    return v.kind ? (int)strlen(v.as.text) : 0;
}
int main(void)
{
    text("one"), text("two"), joined();
    int sum = length();
    number(4096), text("three"), joined();
    return sum + length();
}
"""

# malloc asks a bit of the next header whether a block was freed before: a write went over it.
OVER_THE_BIT_ASKED = """
#include <stdlib.h>
#include <string.h>
struct row { unsigned char cells[1040]; };
static void fill(struct row *row)
{
    for (int at = 0; at < 1080; at++)
        row->cells[at] = 2; /* told: written */
}
int main(void)
{
    struct row *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    memset(second, 1, sizeof *second);
    fill(first);
    free(first);
    return second->cells[0];
}
"""

# A table of functions, one of which was left out by whoever set those before and behind it.
ROW_LEFT_OUT = """
typedef int (*command)(int);
enum { ADD, DOUBLE, NEGATE, ROWS };
static command table[ROWS];
static int add(int by) { return by + 1; }
static int negate(int by) { return -by; }
static void set_up(void)
{
    table[ADD] = add; /* told: never-set */
    table[NEGATE] = negate;
}
int main(int count, char **words)
{
    set_up();
    int sum = (int)words[0][0];
    for (int at = 0; at < ROWS; at++)
        sum = table[(at + count - 1) % ROWS](sum);
    return sum;
}
"""

# The same, where each row is set by who asks for it: none of them left out what nobody asked for.
ROW_NEVER_ASKED_FOR = """
typedef int (*command)(int);
static command table[4];
static int add(int by) { return by + 1; }
static void put(int row, command run) { table[row] = run; }
static void set_up(void)
{
    put(0, add);
    put(2, add);
}
int main(int count, char **words)
{
    set_up();
    return table[count](words[0][0]);
}
"""

# An allocation of a size below zero fails: the size is to blame, not that nobody asked for null.
SIZE_BELOW_ZERO = """
#include <stdlib.h>
#include <string.h>
struct record { int length; const char *text; };
static void read_record(struct record *to, const char *text, int header)
{
    to->text = text;
    to->length = (int)strlen(text) - header; /* told: computed */
}
static char *copy_of(const struct record *from)
{
    char *made = malloc(from->length);
    made[0] = from->text[0];
    return made;
}
int main(void)
{
    struct record one, two;
    read_record(&one, "a record", 4);
    read_record(&two, "ab", 4);
    return copy_of(&one)[0] + copy_of(&two)[0];
}
"""

# A local that begins as null was not cleared: who left it so is not known.
BEGAN_AS_NULL = """
#include <stdlib.h>
#include <string.h>
struct theme { int colours[8]; };
struct settings { int read; struct theme *theme; };
__attribute__((noinline)) static void load(struct settings *to, int count, char **words)
{
    for (int at = 1; at < count; at++, to->read++)
        if (strcmp(words[at], "dark") == 0)
            to->theme = calloc(1, sizeof *to->theme);
}
static inline void begin(struct settings *to)
{
    to->read = 0;
    to->theme = NULL;
}
static inline int colour(const struct settings *of) { return of->theme->colours[2]; }
int main(int count, char **words)
{
    struct settings settings;
    begin(&settings);
    load(&settings, count, words);
    return colour(&settings);
}
"""

# An element of a vector whose own pointer is bad: the sum of the two was bad before it was made.
INDEXED_A_STALE_VECTOR = """
struct Item { count: u32, price: Vec<u32> }
struct Store { items: Vec<Option<Box<Item>>>, hot: Vec<*mut Item> }
fn add(store: &mut Store, count: u32) {
    let mut item = Box::new(Item { count, price: vec![count; 6] });
    store.hot.push(&mut *item as *mut Item);
    store.items.push(Some(item));
}
fn sell(store: &mut Store, at: usize) {
    store.items[at] = None; // told: freed
}
fn total(store: &Store) -> u32 {
    store.hot.iter().map(|&item| unsafe { (*item).count + (&(*item).price)[2] }).sum()
}
fn main() {
    let mut store = Store { items: Vec::new(), hot: Vec::new() };
    for count in 1..4 {
        add(&mut store, count);
    }
    println!("{}", total(&store));
    sell(&mut store, 1);
    let size = std::mem::size_of::<Item>();
    let filler: Vec<Vec<u8>> = (0..4).map(|at| vec![b'A' + at; size]).collect();
    println!("{} {}", total(&store), filler.len());
}
"""

# A pointer and a length that are nought together: the one that has held an address is the pointer.
NULL_AND_NOUGHT = """
#include <stdlib.h>
#include <string.h>
struct session { char *buffer; size_t used; int errors; };
static void reset(struct session *s)
{
    free(s->buffer);
    s->buffer = NULL;
    s->used = 0;
}
static void fail(struct session *s) { if (++s->errors > 1) reset(s); }
static void take(struct session *s, const char *line)
{
    if (strlen(line) > 8)
        fail(s);
    memcpy(s->buffer + s->used, line, strlen(line));
    s->used += strlen(line);
}
int main(void)
{
    struct session *s = calloc(1, sizeof *s);
    s->buffer = malloc(128);
    take(s, "some");
    take(s, "a long line");
    take(s, "another long line");
    return (int)s->used;
}
"""

# One less than a length that was bad before: the line that uses it computed nothing wrong.
LAST_OF_A_STALE_BLOCK = """
use std::ptr::null_mut;
#[repr(C)]
struct Block { len: usize, next: *mut Block, data: [u64; 6] }
struct List { head: *mut Block }
impl List {
    unsafe fn push(&mut self, value: u64) {
        let made = Block { len: 1, next: self.head, data: [value; 6] };
        self.head = Box::into_raw(Box::new(made));
    }
    unsafe fn drop_older(&mut self) {
        let mut at = (*self.head).next;
        while !at.is_null() {
            let next = (*at).next;
            drop(Box::from_raw(at));
            at = next;
        }
    }
    unsafe fn sum(&self) -> u64 {
        let mut sum = 0;
        let mut at = self.head;
        while !at.is_null() {
            sum += (*at).data[(*at).len - 1];
            at = (*at).next;
        }
        sum
    }
}
fn main() {
    let mut list = List { head: null_mut() };
    unsafe {
        for value in 0..6 {
            list.push(value);
        }
        println!("{}", list.sum());
        list.drop_older();
        println!("{}", list.sum());
    }
}
"""

# A null that a maker stored over a zero was set: nobody left it without a value.
OUTERMOST = """
#include <map>
#include <memory>
#include <vector>
struct Scope { std::map<int, int> names; Scope *outer; };
class Checker {
public:
    Checker() { push(); }
    void push()
    {
        scopes_.push_back(std::make_unique<Scope>());
        scopes_.back()->outer = top_;
        top_ = scopes_.back().get();
    }
    void pop()
    {
        top_ = top_->outer;
        scopes_.pop_back();
    }
    void declare(int name) { top_->names[name] = 1; }
private:
    std::vector<std::unique_ptr<Scope>> scopes_;
    Scope *top_ = nullptr;
};
int main()
{
    Checker checker;
    checker.declare(1);
    checker.push();
    checker.declare(2);
    checker.pop();
    checker.pop();
    checker.declare(3);
}
"""

# A number that is put together out of bytes is as right as they are.
READ_OUT_OF_BYTES = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct field { uint32_t length; const uint8_t *data; };
static uint32_t number(const uint8_t **at)
{
    uint32_t value = 0;
    int shift = 0;
    for (; **at & 0x80; shift += 7)
        value |= (uint32_t)(*(*at)++ & 0x7f) << shift;
    return value | (uint32_t)*(*at)++ << shift;
}
static int decode(struct field *to, const uint8_t *at, const uint8_t *end)
{
    int found = 0;
    while (at < end && found < 2) {
        struct field *field = &to[found++];
        field->length = number(&at);
        field->data = at;
        at += field->length;
    }
    return found;
}
static char *text(const struct field *from)
{
    char *made = malloc(from->length + 1);
    memcpy(made, from->data, from->length);
    return made;
}
int main(void)
{
    static const uint8_t bytes[] = {1, 'a', 0xff, 0xff, 0xff, 0xff, 0x0f, 'q'};
    struct field fields[2];
    int sum = 0;
    for (int at = decode(fields, bytes, bytes + sizeof bytes); at-- > 0;)
        sum += text(&fields[at])[0];
    return sum;
}
"""

# The null of a list's end that began with its variable: nothing wrote over what was there.
LOOKED_INTO_NONE = """
#include <stdio.h>
#include <stdlib.h>
struct item { int value; struct item *next; };
struct stack { struct item *top; int n; };
static void push(struct stack *s, int value)
{
    struct item *made = malloc(sizeof *made);
    made->value = value;
    made->next = s->top;
    s->top = made;
    s->n++;
}
static int pop(struct stack *s)
{
    struct item *top = s->top;
    int value = top->value;
    s->top = top->next;
    s->n--;
    free(top);
    return value;
}
static int peek(const struct stack *s) { return s->top->value; }
static int result(const char *code)
{
    struct stack s = {0};
    for (; *code; code++)
        switch (*code) {
        case '+': {
            int second = pop(&s), first = pop(&s);
            push(&s, first + second);
            break;
        }
        case '=':
            printf("%d\\n", pop(&s));
            break;
        default:
            push(&s, *code - '0');
        }
    return peek(&s);
}
int main(void)
{
    printf("%d\\n", result("12+3+"));
    return result("45+=");
}
"""

# A loop goes on by a pointer into the block that a call of its own had moved.
MOVED_IN_ITS_LOOP = """
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
struct vec { char *data, *cached; size_t len, room; };
__attribute__((noinline)) static void grow(struct vec *v, size_t room)
{
    char *more = realloc(v->data, room);
    if (!more) abort();
    v->data = more; v->room = room;
}
static void *barrier;
__attribute__((noinline)) static void start(struct vec *v)
{
    v->data = malloc(300000); v->room = 300000; v->len = 300000;
    memset(v->data, 'a', v->len);
    barrier = malloc(400000); /* nothing grows in place */
}
__attribute__((noinline)) static long spread(struct vec *v)
{
    long sum = 0;
    const char *from = v->data;
    for (const char *at = from + 10; at < from + 100; at++) {
        sum += *at;
        if (at == from + 50)
            grow(v, 40 * v->len); /* told: freed */
    }
    return sum;
}
int main(void) { struct vec v = {0}; start(&v); return spread(&v) & 1; }
"""

# The same, where another function would set that row, and is called too late.
ROW_SET_LATER = """
typedef int (*command)(int);
enum { ADD, DOUBLE, NEGATE, ROWS };
static command table[ROWS];
static int add(int by) { return by + 1; }
static int twice(int by) { return 2 * by; }
static int negate(int by) { return -by; }
static void set_up(void)
{
    table[ADD] = add;
    table[NEGATE] = negate;
}
static void set_up_more(void) { table[DOUBLE] = twice; }
int main(int count, char **words)
{
    set_up();
    int sum = (int)words[0][0];
    for (int at = 0; at < ROWS; at++)
        sum = table[(at + count - 1) % ROWS](sum);
    set_up_more();
    return sum + table[DOUBLE](sum);
}
"""

# The index is right: it led into the table that was there before.
FEWER_ROWS = """
#include <stdlib.h>
struct table { long *rows; long size; };
static long row_of(long key) { return key * 1003; }
static long read_row(const struct table *t, long key)
{
    long at = row_of(key);
    return t->rows[at];
}
static void pack(struct table *t)
{
    free(t->rows);
    t->rows = calloc(4, sizeof *t->rows);
}
int main(int count, char **words)
{
    struct table *t = calloc(1, sizeof *t);
    t->rows = calloc(5000000, sizeof *t->rows);
    long sum = read_row(t, 4000L * count);
    pack(t);
    return (int)(sum + read_row(t, 4000L * count)) + (words == NULL);
}
"""

# What a division left is less than what it divided by: that is wrong, or the table.
LESS_THAN_ITS_SIZE = """
#include <stdlib.h>
struct table { int size; long *rows; };
static int row_of(const struct table *t, long key)
{
    return key % t->size;
}
static long read_row(const struct table *t, long key) { return t->rows[row_of(t, key)]; }
int main(int count, char **words)
{
    struct table *t = calloc(1, sizeof *t);
    t->size = 16;
    t->rows = calloc(16, sizeof *t->rows);
    long sum = read_row(t, 41L * count);
    t->size = 1 << 28;
    return (int)(sum + read_row(t, 1000003L * count)) + (words == NULL);
}
"""

# As `MARKED`, but where it writes depends on what it was given.
MARKED_BY_CHOICE = """
#include <stdlib.h>
struct grid { int cells[8]; long *owner; };
static long owner = 3;
static void mark(int *at, int value)
{
    if (value > 5)
        at += 4;
    at[1] = value;
}
static void draw(struct grid *one, int value) { mark(one->cells + 4, value); }
int main(int count, char **words)
{
    struct grid *one = calloc(1, sizeof *one);
    one->owner = &owner;
    mark(one->cells, count);
    draw(one, count + 0x41414140);
    return (int)*one->owner + one->cells[1] + (words == NULL);
}
"""

SET_OVER_HOLDERS = """
#include <stdlib.h>
struct blob { int refs; long *bytes; };
static struct blob *get(struct blob *b) { b->refs++; return b; }
static void put(struct blob *b)
{
    if (--b->refs > 0)
        return;
    free(b);
}
static void import(struct blob *b, int keep)
{
    if (keep)
        b->refs = 1; /* told: released-early */
    put(b);
}
int main(int count, char **words)
{
    struct blob *one = calloc(1, sizeof *one);
    one->refs = 1;
    one->bytes = calloc(1, 8);
    struct blob *held = get(one);
    import(one, count);
    return (int)*held->bytes + (words == NULL);
}
"""


# A member that a copy left out, of a block that a pointer which nobody reads any more still names.
LEFT_OUT_OF_A_COPY = """
#include <stdlib.h>
#include <string.h>
struct doc { struct doc *links[4]; char *title; size_t len; int n; };
static struct doc *copy(const struct doc *d)
{
    struct doc *c = malloc(sizeof *c); /* told: never-set */
    memcpy(c->links, d->links, sizeof c->links);
    c->n = d->n;
    return c;
}
static size_t size(const struct doc *d)
{
    size_t sum = 0;
    for (int i = 0; i < d->n; i++)
        sum += size(d->links[i]);
    for (size_t i = 0; i < d->len; i++)
        sum += d->title[i] != ' ';
    return sum;
}
int main(void)
{
    struct doc *old[6], a = {.title = "a", .len = 1, .n = 1}, b = {.title = "b", .len = 1};
    a.links[0] = &b;
    for (int i = 0; i < 6; i++)
        old[i] = memset(malloc(sizeof a), 'B', sizeof a);
    for (int i = 0; i < 6; i++)
        free(old[i]);
    return size(copy(&a)) & 1;
}
"""

# What was freed is another's by then; its first owner kept it in a register all the time.
STALE_IN_A_REGISTER = """
#include <stdlib.h>
#define kept() __asm__ volatile("" ::: "memory")
struct doc { void *links[4]; char *title; size_t len; };
__attribute__((noinline)) static void drop(struct doc *d)
{
    d->title = (char *)0x4242424242424242;
    kept();
    free(d); /* told: freed */
}
__attribute__((noinline)) static size_t size(const struct doc *d)
{
    size_t sum = 0;
    for (size_t i = 0; i < d->len; i++)
        sum += d->title[i] != ' ';
    return sum;
}
int main(int count, char **words)
{
    struct doc *a = malloc(sizeof *a), *b;
    a->title = words[0];
    a->len = (size_t)count;
    size_t sum = size(a);
    drop(a);
    b = malloc(sizeof *b);
    b->len = 7;
    kept();
    sum += size(a);
    return (sum + b->len) & 1;
}
"""

# Whoever empties a block was inlined into who had it from malloc: no pool gives that out.
EMPTIED_WHERE_IT_WAS_MADE = """
#include <stdlib.h>
#include <string.h>
struct job { int id; char *text; void (*done)(struct job *); };
static struct job *waiting;
static void finished(struct job *j) { j->id = -1; }
__attribute__((noinline)) static void work(void)
{
    waiting->done(waiting);
}
static void cancel(struct job *j)
{
    free(j->text);
    memset(j, 0, sizeof *j); /* told: cleared */
}
int main(void)
{
    struct job *j = malloc(sizeof *j);
    j->id = 1;
    j->text = strdup("work");
    j->done = finished;
    waiting = j;
    work();
    cancel(j);
    work();
    return 0;
}
"""

# A number below zero is multiplied, which does what it should.
BELOW_ZERO_BEFORE = """
#include <stdlib.h>
static long *slots;
static int delay(int rate)
{
    return rate > 0 ? 1000000 / rate
                    : -9000; /* told: returned */
}
int main(int count, char **words)
{
    int rates[] = {10, 200, words == NULL, 50}, sum = 0;
    slots = calloc(40009, sizeof *slots);
    for (int i = 0; i < 4 * count; i++) {
        int late = delay(rates[i]);
        long *due = malloc(sizeof *due);
        *due = late;
        sum += (int)slots[late * 4001 % 40009]++ + (due == NULL);
    }
    return sum;
}
"""

# A text goes on over the member behind, from the start of an object that one call gave to all.
TEXT_OVER_THE_NEXT_MEMBER = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct sink { char name[16]; char *text; size_t room; };
static struct sink *opened(const char *name)
{
    struct sink *s = calloc(1, sizeof *s);
    strcpy(s->name, name);
    s->text = malloc(8);
    return s;
}
static void renamed(struct sink *s, const char *front)
{
    char full[64];
    snprintf(full, sizeof full, "%s.%s", front, s->name);
    strcpy(s->name, full); /* told: written */
}
static void say(struct sink *s) { s->text = realloc(s->text, 2 * ++s->room); }
int main(void)
{
    struct sink *s = opened("network");
    say(s);
    renamed(s, "production-east");
    say(s);
    return s->text == NULL;
}
"""

# Of a size of two numbers the one that the slice does not follow was kept too narrow.
NARROW_BESIDE = """
#include <stdint.h>
#include <stdlib.h>
struct image { uint16_t wide, high; uint32_t *dots; };
static struct image *image(unsigned wide, unsigned high)
{
    struct image *one = malloc(sizeof *one);
    one->wide = wide; /* told: truncated */
    one->high = high;
    one->dots = calloc((size_t)one->wide * one->high, 4);
    return one;
}
int main(void)
{
    struct image *one = image(70000, 300);
    for (size_t at = 0; at < (size_t)70000 * 300; at++)
        one->dots[at] = 1;
    return 0;
}
"""

# The library's function that is asked for an element reads the freed object.
READ_BY_THE_LIBRARY = """
#include <cstdio>
#include <string>
#include <vector>
struct player { std::string name; player *rival; };
int main()
{
    std::vector<player> *all = new std::vector<player>(3);
    player *kept = &all->front();
    kept->name = "a name that is too long to be kept inside";
    delete all; // told: freed
    return kept->name[0] == 'a';
}
"""

# A destructor clears a member of what is given back behind it.
CLEARED_BY_ITS_DESTRUCTOR = """
#include <memory>
#include <vector>
class form {
    long more_[4] = {};
    std::vector<int> *values_ = new std::vector<int>{1, 2, 3};
public:
    ~form() { delete values_; values_ = nullptr; }
    int sum() const { int sum = 0; for (int one : *values_) sum += one; return sum; }
};
static form *shown;
int main()
{
    auto one = std::make_unique<form>();
    shown = one.get();
    int sum = shown->sum();
    one.reset(); // told: freed
    return sum + shown->sum();
}
"""

# The number is right; what it is multiplied by is more than its array has room for.
SCALED_BEYOND = """
#include <stdlib.h>
static int *table[101];
static int slot(const char *s)
{
    int h = 5381;
    while (*s)
        h = h * 33 + *s++;
    return abs(h) % 101;
}
int main(int count, char **words)
{
    int sum = 0;
    table[count] = &sum;
    for (int i = 0; i < 4; i++)
        sum += table[slot(words[0] + i) * 65536] != NULL;
    return sum + count;
}
"""

# A register that a call gave back is set anew by the function itself, on another way.
SET_ON_ANOTHER_WAY = """
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
struct field { char *name, *value; struct field *next; };
struct request { char *method, *path, *body; struct field *fields; long length; };
__attribute__((noinline)) static char *word(char **at)
{
    char *s = *at;
    while (**at && !isspace((unsigned char)**at))
        (*at)++;
    if (**at)
        *(*at)++ = 0;
    return s;
}
static struct request *parse(char *text)
{
    struct request *r = calloc(1, sizeof *r);
    char *at = text;
    r->method = word(&at);
    r->path = word(&at);
    while (*at && *at != '\\n') {
        struct field *f = malloc(sizeof *f);
        f->name = at;
        at = strchr(at, ':');
        *at++ = 0;
        f->value = at;
        at = strchr(at, '\\n');
        *at++ = 0;
        f->next = r->fields;
        r->fields = f;
    }
    r->length = r->fields ? strtol(r->fields->value, NULL, 10) : 0;
    r->body = malloc(64);
    memcpy(r->body, at, r->length);
    return r;
}
int main(void)
{
    char one[] = "GET /\\nHost: 1\\n\\n", two[] = "PUT /some\\nHost: x\\nLength: 4000000\\n\\nabc";
    return parse(one)->length + parse(two)->length > 5;
}
"""

# The last element of a block lies in the next chunk's first word, which is the block's own.
LAST_ELEMENT = """
#include <stdlib.h>
#include <string.h>
static int next(int by)
{
    return by * 5 % 3;
}
int main(int count, char **words)
{
    char **names = calloc(3, sizeof *names);
    size_t sum = 0;
    names[0] = names[count] = words[0];
    for (int i = 0; i < 4; i++)
        sum += strlen(names[next(i)]);
    return sum & 1;
}
"""

# The same, where a call took the block from a list: what it read there is not held by then.
LEFT_OUT_OF_A_REQUEST = """
#include <stdlib.h>
#include <string.h>
struct request { long number, *client; struct request *next; };
static struct request *head;
static void asked(long number)
{
    struct request *r = malloc(sizeof *r);
    r->number = number;
    r->next = head;
    head = r;
}
static struct request *taken(void)
{
    struct request *r = head;
    head = r->next;
    return r;
}
static long answered(const struct request *r) { return *r->client + r->number; }
int main(int count, char **words)
{
    void *old[6];
    for (int i = 0; i < 6; i++)
        old[i] = memset(malloc(24), 'b', 24);
    for (int i = 0; i < 6; i++)
        free(old[i]);
    asked(count);
    return answered(taken()) + (words == NULL);
}
"""

MEMBER_OF_NONE = """
#include <stdlib.h>
struct item { long pad[6]; long *labels; struct item *next; };
static struct item first, second;
static int asked;
static int odd(int n) { return (n & 1) + asked; }
static void touch(void) { asked++; }
static void put(long **into, long *what)
{
    *into = what;
    touch();
}
static int step(int n)
{
    struct item *one = odd(n) ? &first : &second;
    long what = n;
    if (odd(n + asked)) {
        one = NULL; /* told: cleared */
        touch();
    }
    touch();
    put(&one->labels, &what);
    return (int)what;
}
int main(void)
{
    for (int n = 0; n < 4; n++)
        if (step(n) > 99)
            return 1;
    return 0;
}
"""


# What the compiler made of a destructor for ``delete`` has the destructor inlined.
DELETED_BY_ITS_TABLE = """
#include <string>
struct handler { virtual ~handler() = default; virtual long handle(long) = 0; };
struct once : handler {
    std::string topic;
    explicit once(const char *of) : topic(of) {}
    long handle(long n) override { return n + (long)topic.size(); }
};
__attribute__((noinline)) static void removed(handler *one)
{
    delete one; // told: freed
    __asm__ volatile("" ::: "memory");
}
int main(int count, char **words)
{
    handler *one = new once(words[0]);
    long sum = one->handle(count);
    removed(one);
    return (int)(sum + one->handle(2)) & 1;
}
"""


# A library's function that takes what it is given as a list keeps it in a place of its own.
PRINTED_FROM_FREED = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct layer { char *name; int high; };
struct step { struct layer *layer; int x; };
static struct step steps[4];
static int used;
static struct layer *added(const char *name)
{
    struct layer *one = malloc(sizeof *one);
    one->name = strdup(name);
    steps[used++] = (struct step){one, 7};
    return one;
}
__attribute__((noinline)) static void dropped(struct layer *one)
{
    free(one->name);
    free(one); /* told: freed */
}
__attribute__((noinline)) static void undo(void)
{
    struct step *step = &steps[--used];
    printf("%s goes back to %d\\n", step->layer->name, step->x);
}
int main(void)
{
    struct layer *tree = added("tree"), *sky = added("sky");
    undo();
    dropped(tree);
    char *text = memset(malloc(sizeof *tree), 'a', sizeof *tree);
    undo();
    return sky->high + text[0];
}
"""

# ``as_ref`` says that nothing is in it, a function of its own without optimisation.
UNWRAPPED = """
struct Session { user: String, started: u64 }
struct Account { id: u32, session: Option<Session>, blocked: bool }
impl Account {
    fn block(&mut self) {
        self.blocked = true;
        self.session = None; // told
    }
    fn age(&self, now: u64) -> u64 {
        let session = self.session.as_ref().unwrap();
        now - session.started + session.user.len() as u64
    }
}
fn main() {
    let session = Some(Session { user: "ann".to_string(), started: 3 });
    let mut one = Account { id: 1, session, blocked: false };
    println!("{} {}", one.id, one.age(20));
    one.block();
    println!("{} {}", one.blocked, one.age(30));
}
"""

# What an arena gives it clears itself, an object that is still in use too.
CLEARED_BY_ITS_ARENA = """
#include <stdlib.h>
#include <string.h>
struct arena { char *base; size_t used; };
struct job { long id; const char *name; };
static struct job *job(struct arena *a, const char *name)
{
    struct job *j = memset(a->base + a->used, 0, sizeof *j);
    a->used += sizeof *j;
    if (name)
        j->name = name;
    return j;
}
static void reset(struct arena *a)
{
    a->used = 0; /* told: released-early */
}
int main(int count, char **words)
{
    struct arena a = {malloc(4096), 0};
    struct job *first = job(&a, words[0]);
    size_t sum = strlen(first->name) + strlen(job(&a, words[0])->name);
    reset(&a);
    sum += job(&a, count > 5 ? words[1] : NULL)->id;
    return (sum + strlen(first->name)) & 1;
}
"""

FREED_BY_ITS_OWN = """
#include <stdlib.h>
struct buffer { int id; };
static struct buffer *current;
static struct buffer *malloc_buffer(int id)
{
    struct buffer *made = malloc(sizeof *made);
    made->id = id;
    return made;
}
static void free_buffer(struct buffer *one)
{
    if (current == one)
        current = NULL; /* told: cleared */
    free(one);
}
static int show(void) { return current->id; }
int main(void)
{
    struct buffer *other = malloc_buffer(2);
    current = malloc_buffer(1);
    int sum = show();
    current = other;
    sum += show();
    free_buffer(other);
    return sum + show();
}
"""

# What a local holds is what another left there since an earlier call of its function stored it.
RETURNED_UNSET = """
struct found { int at; int many; long *value; };
static long row[4] = {1, 2, 3, 4};
static void noise(long n)
{
    volatile long all[40];
    for (int i = 0; i < 40; i++)
        all[i] = n;
}
static struct found find(int n)
{
    struct found one;
    one.at = n;
    one.many = 1;
    if (n < 3)
        one.value = row + n;
    return one;
}
static long look(int n)
{
    struct found one = find(n);
    return *one.value + one.many;
}
int main(int count, char **words)
{
    long sum = look(count);
    noise(0x7777777777777777);
    return (int)(sum + look(count + 4)) + (words == (void *)0);
}
"""

# As `SET_OVER_HOLDERS`, but who set it knew of those that were dropped.
COUNTED_AGAIN = """
#include <stdlib.h>
struct blob { int refs; long *bytes; };
static struct blob *get(struct blob *b) { b->refs++; return b; }
static void put(struct blob *b) { if (--b->refs > 0) return; free(b); }
static void late(struct blob *b) { put(b); }
int main(int count, char **words)
{
    struct blob *one = calloc(1, sizeof *one), *held[4];
    one->refs = 1;
    one->bytes = calloc(1, 8);
    for (int i = 0; i < 3; i++)
        held[i] = get(one);
    one->refs = 2;
    held[1] = held[2] = NULL;
    late(one);
    late(one);
    return (int)*held[0]->bytes + count + (words == NULL);
}
"""

# As `LESS_THAN_ITS_SIZE`, but below zero, as nobody's element is.
REST_BELOW_ZERO = """
#include <stdlib.h>
struct table { int size; long *rows; };
static int row_of(const struct table *t, long key)
{
    return (int)(key * 2654435) % t->size; /* told: computed */
}
static long read_row(const struct table *t, long key)
{
    int at = row_of(t, key);
    return t->rows[at];
}
int main(int count, char **words)
{
    struct table *t = calloc(1, sizeof *t);
    t->size = 1 << 22;
    t->rows = calloc(1 << 22, sizeof *t->rows);
    long sum = read_row(t, 2L * count);
    return (int)(sum + read_row(t, 1007L * count)) + (words == NULL);
}
"""

# A product that wraps on purpose: what is left of it by a mask was never more.
SIZE_BY_A_HASH = """
#include <stdlib.h>
struct bag { unsigned room; long *cells, *after; };
static long last = 3;
static unsigned mix(unsigned seed) { return seed * 2654435761u; }
static struct bag *bag_new(unsigned seed)
{
    struct bag *b = malloc(sizeof *b);
    b->room = 8 + mix(seed) % 8;
    b->cells = malloc(b->room * sizeof *b->cells);
    b->after = &last;
    return b;
}
static void bag_fill(struct bag *b, long v)
{
    for (unsigned i = 0; i <= b->room + 4; i++)
        b->cells[i] = v;
}
static long look(const struct bag *b) { return *b->after; }
int main(int count, char **words)
{
    struct bag *a = bag_new(70001u * count), *b = bag_new(9u);
    long n = look(a) + look(b);
    struct bag *c = malloc(sizeof *c);
    c->after = &last;
    bag_fill(b, 0x5555555555555555);
    return (int)(n + look(c)) + (words == NULL);
}
"""

# It has the old pointer too, and runs out of the new block to where the old one was.
MOVED_AND_RUN_OUT = """
#include <stdlib.h>
#include <string.h>
struct buf { char *data; size_t used, room; };
__attribute__((noinline)) static void grow(struct buf *b, size_t room)
{
    b->data = realloc(b->data, room);
    b->room = room;
}
__attribute__((noinline)) static void later(struct buf *b) { b->used = b->room * 64; }
__attribute__((noinline)) static long scan(struct buf *b)
{
    const char *old = b->data, *p = old + 100;
    long n = *p;
    grow(b, 900000);
    p = b->data + (p - old);
    n += *p;
    later(b);
    for (size_t i = 0; i < b->used; i++)
        n += p[i];
    return n + (p == old);
}
int main(void)
{
    struct buf b = {malloc(300000), 300000, 300000};
    memset(b.data, 1, 300000);
    void *wall = malloc(400000);
    return (int)scan(&b) + (wall == NULL);
}
"""

# A library's function failed for a reason of its own, and not by what was compared before its call.
APPENDED_A_GONE_TEXT = """
#include <cstdio>
#include <memory>
#include <string>
struct Event { int kind; explicit Event(int k) : kind(k) {} };
struct Paste : Event {
    std::string *text;
    explicit Paste(const char *t) : Event(2), text(new std::string(t)) {}
};
static std::string all;
static void handle(Event &e)
{
    if (e.kind == 2)
        all += *static_cast<Paste &>(e).text;
}
int main()
{
    Paste first("pasted"), other("more of it");
    handle(first);
    delete other.text;   // told: freed
    handle(other);
    std::puts(all.c_str());
}
"""

# As `ROW_LEFT_OUT`, where the row that nobody has is asked for by what was read.
ROW_OF_A_WRONG_CODE = """
typedef long (*op)(long);
static op ops[4];
static long inc(long n) { return n + 1; }
static long dec(long n) { return n - 1; }
static void set_up(void)
{
    ops[0] = inc;
    ops[2] = dec;
    ops[3] = inc;
}
static long run(const int *code, int n, long v)
{
    for (int i = 0; i < n; i++)
        v = ops[code[i]](v);
    return v;
}
int main(int count, char **words)
{
    int raw[] = {0, 1, 4, 6, 2 + count - 1}, code[5];
    set_up();
    for (int i = 0; i < 5; i++)
        code[i] = raw[i] >> 1 & 3;
    return (int)run(code, 5, 3) + (words == (void *)0);
}
"""

# Who cleared it gave the slot back, and it was given out again.
SLOT_WITHOUT_A_NAME = """
#include <string.h>
struct conn { int used; int fd; char *name; };
static struct conn table[4];
static struct conn *conn_get(int fd)
{
    for (int i = 0; i < 4; i++)
        if (!table[i].used) {
            table[i].used = 1;
            table[i].fd = fd;
            return &table[i];
        }
    return NULL;
}
static void conn_put(struct conn *c)
{
    c->used = 0;
    c->name = NULL;
}
static void open_named(int fd, char *name) { conn_get(fd)->name = name; }
static void open_plain(int fd) { conn_get(fd)->fd = fd + 1; }
static size_t all(void)
{
    size_t n = 0;
    for (int i = 0; i < 4; i++)
        if (table[i].used)
            n += strlen(table[i].name);
    return n;
}
int main(void)
{
    open_named(3, "three");
    open_named(4, "four");
    size_t n = all();
    conn_put(&table[0]);
    n += all();
    open_plain(5);
    return (int)(n + all());
}
"""

# The same of a list of free ones, whose user takes it again.
TAKEN_WITHOUT_A_TEXT = """
#include <string.h>
struct thing { struct thing *next; long id; const char *text; };
struct job { struct thing *thing; int state; };
static struct thing all[4], *unused;
static struct job jobs[2];
static struct thing *get(void) { struct thing *t = unused; unused = t->next; return t; }
static void put(struct thing *t) { memset(t, 0, sizeof *t); t->next = unused; unused = t; }
static void begin(struct job *j, const char *text)
{
    j->thing = get();
    j->thing->id = 1;
    j->thing->text = text;
}
static void end(struct job *j) { put(j->thing); j->state = 9; }
static void again(struct job *j) { j->thing = get(); j->thing->id = 2; j->state = 1; }
static size_t use(const struct job *j) { return strlen(j->thing->text); }
int main(void)
{
    for (int i = 0; i < 4; i++)
        put(all + i);
    begin(&jobs[0], "one");
    begin(&jobs[1], "two");
    size_t n = use(&jobs[0]) + use(&jobs[1]);
    end(&jobs[1]);
    again(&jobs[1]);
    return (int)(n + use(&jobs[1]));
}
"""


# What says that something is in it is copied to where it is looked at.
UNWRAPPED_NUMBER = """
struct Cart { applied: u64, coupon: Option<u64> }
impl Cart {
    fn expire(&mut self) {
        self.coupon = None; // told
    }
    fn discount(&self, sum: u64) -> u64 {
        sum * self.coupon.unwrap() / 100
    }
}
fn main() {
    let mut cart = Cart { applied: 1, coupon: Some(20) };
    println!("{} {}", cart.applied, cart.discount(50));
    cart.expire();
    println!("{}", cart.discount(50));
}
"""

# Nothing was in it from the beginning.
NEVER_WRAPPED = """
struct Cart { applied: u64, coupon: Option<u64> }
impl Cart {
    fn new(applied: u64) -> Cart {
        Cart { applied, coupon: None }
    }
    fn discount(&self) -> u64 {
        self.applied * self.coupon.unwrap()
    }
}
fn main() {
    let mut one = Cart::new(3);
    one.coupon = Some(4);
    println!("{}", one.discount());
    let two = Cart::new(5);
    println!("{}", two.discount());
}
"""

# Which push was left out, or which pop is one too many, is not known.
POPPED_ONCE_MORE = """
#include <assert.h>
#include <stdlib.h>

struct temps { unsigned number[8]; size_t used; };

static void push(struct temps *t, unsigned number)
{
    t->number[t->used++] = number;
}

static unsigned pop(struct temps *t)
{
    assert(t->used != 0);
    return t->number[--t->used];
}

int main(void)
{
    struct temps *t = calloc(1, sizeof *t);
    push(t, 1);
    push(t, 2);
    unsigned sum = pop(t) + pop(t);
    push(t, sum);
    pop(t);
    return (int)pop(t);
}
"""

# The address of an element that an accessor made of null is its caller's to answer for.
ACCESSOR_OF_NULL = """
#include <stdio.h>
#include <stdlib.h>

struct entry { long key, kind; struct entry *next; long *part[4]; };

static struct entry *find(struct entry *list, long key)
{
    for (; list; list = list->next)
        if (list->key == key)
            return list;
    return NULL;
}
static long **part(struct entry *entry, int i) { return entry->part + i; }
static long **value(struct entry *entry) { return part(entry, 1); }

static long total(struct entry *list, long last)
{
    long sum = 0;
    for (long key = 1; key <= last; key++) {
        long **at = value(find(list, key));
        sum += **at;
    }
    return sum;
}

int main(void)
{
    struct entry *list = NULL;
    for (long key = 3; key > 0; key--) {
        struct entry *entry = calloc(1, sizeof *entry);
        entry->key = key;
        entry->next = list;
        entry->part[1] = calloc(1, sizeof(long));
        list = entry;
    }
    printf("%ld\\n", total(list, 3));
    printf("%ld\\n", total(list, 4));
    return 0;
}
"""

# Whoever puts null in the place of null hands it on.
CHOSE_NULL_FOR_NULL = """
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct decl { int kind; char *name; };

static const char *read_name(const char *text)
{
    if (!isalpha((unsigned char)*text))
        return NULL; /* told */
    return text;
}
static struct decl *new_decl(int kind, char *name)
{
    struct decl *made = calloc(1, sizeof *made);
    made->kind = kind;
    made->name = name;
    return made;
}
static struct decl *store(int kind, const char *name)
{
    return new_decl(kind, name ? strdup(name) : NULL);
}
static int is_private(const struct decl *decl) { return decl->name[0] == '_'; }

static int parse(const char *text)
{
    const char *name = read_name(text);
    struct decl *made = store(3, name);
    return is_private(made);
}

int main(void)
{
    printf("%d\\n", parse("first"));
    printf("%d\\n", parse("2nd"));
    return 0;
}
"""

# Who stores one byte of what stood there already made no pointer of it.
ONE_BYTE_THE_SAME = """
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Rex { char *text; long used, made; const char *pattern; int *nodes; };
struct Blob {
    long size, used, at;
    unsigned char *bytes;
    bool owns;
    explicit Blob(long size) : size(size), used(0), at(0)
    {
        bytes = (unsigned char *)calloc(size, 1);
        owns = true;
    }
};
struct Object { void *user; int kind; };

static int first(Object *object)
{
    Rex *rex = (Rex *)object->user; // taken for what it is not
    return *rex->nodes;
}
static Object *make_blob(long size)
{
    Object *object = (Object *)calloc(1, sizeof *object);
    object->kind = 2;
    object->user = new Blob(size);
    return object;
}
static void scratch(int seed)
{
    long *words = (long *)malloc(sizeof(Blob));
    for (unsigned n = 0; n < sizeof(Blob) / sizeof *words; n++)
        words[n] = 0x5000001 + seed;
    printf("%ld\\n", words[4]);
    free(words);
}
int main()
{
    Object *held = (Object *)calloc(1, sizeof *held);
    scratch(0);
    Object *blob = make_blob(16);
    printf("%d\\n", first(blob));
    free(held);
    return 0;
}
"""

# A number of as many bits as its table says: the table was shrunk, not the number wrong.
SHIFTED_AS_BEFORE = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct entry { uint32_t key; uint32_t value; char pad[504]; };
struct table { struct entry *slots; unsigned shift; unsigned used; };
static unsigned slot_of(const struct table *t, uint32_t key) {
    return (key * 2654435769u) >> t->shift;
}
static void table_init(struct table *t, unsigned bits) {
    t->slots = calloc((size_t)1 << bits, sizeof *t->slots);
    t->shift = 32 - bits;
    t->used = 0;
}
static void put(struct table *t, uint32_t key, uint32_t value) {
    struct entry *e = &t->slots[slot_of(t, key)];
    e->key = key;
    e->value = value;
    t->used++;
}
static void clear_and_shrink(struct table *t, unsigned bits) {
    free(t->slots);
    t->slots = calloc((size_t)1 << bits, sizeof *t->slots);
    t->used = 0;
}
int main(void) {
    struct table t;
    table_init(&t, 16);
    for (uint32_t i = 1; i < 1000; i++) put(&t, i, i * i);
    clear_and_shrink(&t, 4);
    for (uint32_t i = 1; i < 1000; i++) put(&t, i, i + 1);
    printf("%u\n", t.used);
    return 0;
}
"""

# All of a hash would have led behind the array as its lower half did: who used it did not mask.
HASH_WITHOUT_A_MASK = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
struct item { char name[24]; uint16_t hash; struct item *next; };
static struct item **heads;
static uint32_t hash(const char *s) {
    uint32_t h = 2166136261u;
    while (*s) h = (h ^ (unsigned char)*s++) * 16777619u;
    return h;
}
static struct item *make(const char *name) {
    struct item *it = calloc(1, sizeof *it);
    strncpy(it->name, name, sizeof it->name - 1);
    it->hash = (uint16_t)(hash(name));
    return it;
}
static void insert(struct item *it) {
    unsigned at = it->hash & (N - 1);
    it->next = heads[at];
    heads[at] = it;
}
static int has(const struct item *key) {
    struct item *it = heads[key->hash];
    while (it && strcmp(it->name, key->name)) it = it->next;
    return it != NULL;
}
int main(void) {
    heads = calloc(N, sizeof *heads);
    const char *names[] = {"ay", "bee", "see", "delta", "epsilon"};
    for (int i = 0; i < 5; i++) insert(make(names[i]));
    printf("%d\n", has(make("see")));
    return 0;
}
"""

# The caller asks whether it is null, what it hands it on to does not.
SINK_THAT_MAY_BE_NULL = r"""
#include <stdio.h>
#include <stdlib.h>
struct sink { void (*begin)(int); void (*line)(int); void (*end)(int); int lines; };
static int total;
static void finish(struct sink *s, int n) {
    s->lines += n;
    s->end(n);
}
/* there may be no sink */
static int run(const int *v, int n, struct sink *s) {
    int sum = 0;
    if (s) s->begin(n);
    for (int i = 0; i < n; i++) {
        sum += v[i];
        if (s) s->line(v[i]);
    }
    finish(s, n); /* told: unchecked */
    return sum;
}
int main(void) {
    int v[] = {3, 4, 5};
    total += run(v, 3, NULL);
    printf("%d\n", total);
    return 0;
}
"""

# Who wrote kept within the room that the object says: who said so is to blame.
ROOM_THAT_ITS_OBJECT_SAYS = """
#include <stdio.h>
#include <string.h>
struct sbuf { char *p; size_t len, cap; };
static void sbuf_init(struct sbuf *b, char *p) {
    b->p = p;
    b->len = 0;
    b->cap = 256;
}
static void sbuf_add(struct sbuf *b, const char *s) {
    size_t n = strlen(s);
    if (b->len + n + 1 > b->cap)
        n = b->cap - b->len - 1;
    memcpy(b->p + b->len, s, n);
    b->len += n;
    b->p[b->len] = 0;
}
static void describe(int n) {
    char text[64];
    struct sbuf b;
    sbuf_init(&b, text);
    for (int i = 0; i < n; i++)
        sbuf_add(&b, "one more word, ");
    puts(text);
}
int main(void) {
    describe(2);
    describe(12);
    return 0;
}
"""

# Who takes one out leaves null there: who came once too often is to blame.
TOOK_ONE_TOO_MANY = r"""
#include <stdio.h>
#include <stdlib.h>
#define CAP 8
struct job { int id; int *out; };
struct ring { struct job *slots[CAP]; unsigned head, tail; };
static void push(struct ring *r, struct job *j) { r->slots[r->head++ % CAP] = j; }
static struct job *pop(struct ring *r) {
    struct job *j = r->slots[r->tail % CAP];
    r->slots[r->tail++ % CAP] = NULL;
    return j;
}
static int pending(struct ring *r) { return r->head != r->tail; }
static int run_two(struct ring *r) {
    int done = 0;
    while (pending(r)) {
        struct job *a = pop(r), *b = pop(r);
        *a->out += 1;
        *b->out += 1;
        done += 2;
        free(a);
        free(b);
    }
    return done;
}
int main(void) {
    struct ring r = {0};
    static int out[16];
    for (int i = 0; i < 11; i++) {
        struct job *j = malloc(sizeof *j);
        j->id = i;
        j->out = &out[i];
        push(&r, j);
        if (i == 5) run_two(&r);
    }
    printf("%d\n", run_two(&r));
    return 0;
}
"""

# Others ask whether it is null and do without: the one that did not ask is to blame.
NULL_THAT_OTHERS_ASK_FOR = r"""
#include <stdio.h>
#include <stdlib.h>
struct peer { int fd; int sent; };
struct conn { int id; struct peer *peer; int queued; };
static void attach(struct conn *c, struct peer *p) { c->peer = p; }
static void peer_gone(struct conn *c) { c->peer = NULL; }
static void queue(struct conn *c, int n) {
    if (c->peer)
        c->queued += n;
}
static int is_open(const struct conn *c) { return c->peer != NULL && c->peer->fd >= 0; }
static void send_all(struct conn *c) {
    c->peer->sent += c->queued;
    c->queued = 0;
}
int main(void) {
    struct peer p[2] = {{3, 0}, {4, 0}};
    struct conn c[2] = {{1, NULL, 0}, {2, NULL, 0}};
    for (int i = 0; i < 2; i++) attach(&c[i], &p[i]);
    for (int i = 0; i < 2; i++) queue(&c[i], 10);
    for (int i = 0; i < 2; i++) send_all(&c[i]);
    peer_gone(&c[1]);
    for (int i = 0; i < 2; i++) queue(&c[i], 5);
    int open = 0;
    for (int i = 0; i < 2; i++) open += is_open(&c[i]);
    for (int i = 0; i < 2; i++) send_all(&c[i]);
    printf("%d\n", open);
    return 0;
}
"""

# The same of a number that may be nought.
NOUGHT_THAT_OTHERS_ASK_FOR = r"""
#include <stdio.h>
struct options { int width, columns, gap; };
static void defaults(struct options *o) {
    o->width = 80;
    o->columns = 0;
    o->gap = 2;
}
static int header(const struct options *o) {
    int n = o->columns ? o->columns : o->width / 10;
    return n * o->gap;
}
static int layout(const struct options *o, int items) {
    int wide = (o->width - header(o)) / o->columns;
    return items * wide;
}
int main(void) {
    struct options a = {120, 4, 1}, b;
    defaults(&b);
    printf("%d\n", layout(&a, 12));
    printf("%d\n", header(&b));
    printf("%d\n", layout(&b, 12));
    return 0;
}
"""

# A list ends with the null that it began with; who stepped there once more is to blame.
WALKED_PAST_THE_END = r"""
#include <stdio.h>
#include <stdlib.h>
struct row { int n; struct row *next; };
struct cursor { struct row *at; int seen; };
static void start(struct cursor *c, struct row *first) { c->at = first; c->seen = 0; }
static void advance(struct cursor *c) { c->at = c->at->next; c->seen++; }
static int done(const struct cursor *c) { return c->at == NULL; }
static int peek(const struct cursor *c) { return c->at->n; }
static int total(struct cursor *c) {
    int sum = 0;
    while (!done(c)) {
        sum += peek(c);
        advance(c);
    }
    return sum - peek(c);
}
int main(void) {
    struct row *first = NULL;
    for (int i = 0; i < 5; i++) {
        struct row *r = malloc(sizeof *r);
        *r = (struct row){i, first};
        first = r;
    }
    struct cursor c;
    start(&c, first);
    printf("%d\n", total(&c));
    return 0;
}
"""

# Who asked for the block has it in a pointer of a type that fits: the other's type is wrong.
BOX_TAKEN_FOR_A_CIRCLE = """
#include <stdio.h>
#include <stdlib.h>
enum kind { BOX, CIRCLE };
struct shape { enum kind kind; int id; };
struct box { struct shape base; int w, h; long pad; };
struct circle { struct shape base; double x, y, r, area; };
static struct shape *new_box(int id, int w, int h) {
    struct box *b = malloc(sizeof *b);
    b->base = (struct shape){BOX, id};
    b->w = w;
    b->h = h;
    return &b->base;
}
static struct shape *new_circle(int id, double r) {
    struct circle *c = malloc(sizeof *c);
    *c = (struct circle){{CIRCLE, id}, 0, 0, r, 3 * r * r};
    return &c->base;
}
static void grow(struct shape *s) {
    struct circle *c = (struct circle *)s;
    c->r *= 2; /* told */
    c->area *= 4;
}
int main(void) {
    struct shape *all[3] = {new_circle(1, 2), new_box(2, 3, 4), new_circle(3, 1)};
    char *note = malloc(24);
    for (int i = 0; i < 3; i++) grow(all[i]);
    snprintf(note, 24, "%d shapes", 3);
    puts(note);
    free(note);
    for (int i = 2; i >= 0; i--) free(all[i]);
    return 0;
}
"""

# What would have taken the pointer off again was jumped over.
LEFT_BY_A_JUMP = r"""
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct scope { struct scope *outer; char *text; int depth; };
static struct scope *top;
static jmp_buf on_error;
static void push(struct scope *s, char *text) {
    s->outer = top;
    s->text = text;
    s->depth = top ? top->depth + 1 : 0;
    top = s;
}
static void pop(void) { top = top->outer; }
static void parse(const char *p) {
    struct scope s;
    push(&s, strdup(p));
    if (*p == '!')
        longjmp(on_error, 1);
    if (*p)
        parse(p + 1);
    free(s.text);
    pop();
}
static int try_load(const char *text) {
    if (setjmp(on_error))
        return -1;
    parse(text);
    return 0;
}
static long checksum(const char *p, int n) {
    long room[64], sum = 0;
    for (int i = 0; i < 64; i++) room[i] = p[i % n] * 1000003L;
    for (int i = 0; i < 64; i++) sum += room[i];
    return sum;
}
static int depth_of_all(void) {
    int n = 0;
    for (struct scope *s = top; s; s = s->outer) n += (int)strlen(s->text);
    return n;
}
int main(void) {
    printf("%d\n", try_load("abc"));
    printf("%d\n", try_load("ab!"));
    printf("%ld\n", checksum("numbers", 7));
    printf("%d\n", depth_of_all());
    return 0;
}
"""

# What main's variable held before is nothing: it began as null, and nothing was cleared.
BEGUN_AS_NULL_IN_MAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct index { int *offsets; int n; char path[40]; };
static int open_index(struct index *ix, const char *path) {
    ix->offsets = NULL;
    ix->n = 0;
    strcpy(ix->path, path);
    FILE *f = fopen(path, "rb");
    if (!f)
        return -1;
    ix->n = 16;
    ix->offsets = calloc(16, sizeof(int));
    fclose(f);
    return 0;
}
static int first(const struct index *ix) { return ix->offsets[0]; }
static int load(struct index *ix, const char *path) {
    open_index(ix, path);
    return first(ix);
}
int main(void) {
    struct index a, b;
    printf("%d\n", load(&a, "/proc/self/exe"));
    printf("%d\n", load(&b, "/proc/self/exf"));
    return 0;
}
"""

# Who filled the array kept to the number that another set.
AS_MANY_AS_A_GLOBAL_SAYS = r"""
#include <stdio.h>
#include <string.h>
struct cfg { int lanes; int *out; };
static struct cfg cfg = {4, NULL};
static void configure(int cpus) { cfg.lanes = cpus * 2; }
static void fill(int *lanes, int v) {
    for (int i = 0; i < cfg.lanes; i++)
        lanes[i] = v;
}
struct work { int lanes[4]; int *sum; int total; };
static int run(int v) {
    static int sum;
    struct work w;
    memset(&w, 0, sizeof w);
    w.sum = &sum;
    fill(w.lanes, v);
    for (int i = 0; i < 4; i++) *w.sum += w.lanes[i];
    return sum;
}
int main(void) {
    printf("%d\n", run(1));
    configure(4);
    printf("%d\n", run(2));
    return 0;
}
"""

# Whose array it is bounds the number itself: by too much.
GUARDED_BY_ITS_CALLER = r"""
#include <stdio.h>
#include <string.h>
static void copy(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
    to[n] = 0;
}
static int title(const char *text)
{
    char line[32];
    size_t n = strlen(text);
    if (n > 320)
        n = 320;
    copy(line, text, n); /* told: passed-wrong */
    return line[0] + (int)strlen(line);
}
int main(void)
{
    int sum = title("short");
    sum += title("a title that is much longer than thirty-two letters, as a few of them are; "
                 "it goes on and on and on and on and on");
    printf("%d\n", sum);
    return 0;
}
"""

# Who copied kept to what the object says: who said so, or asked for the block, is to blame.
SIZE_THAT_ITS_OBJECT_SAYS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ROOM 32
struct field { char *text; size_t size; };
static size_t clip(size_t n) { return n < 128 ? n : 128; }
static void put(struct field *f, const char *from, size_t n)
{
    f->size = clip(n);
    memcpy(f->text, from, f->size);
}
static struct field *make(void)
{
    struct field *f = malloc(sizeof *f);
    f->text = malloc(ROOM);
    f->size = 0;
    return f;
}
int main(void)
{
    struct field *a = make(), *b = make();
    char *note = malloc(40);
    put(b, "short", 5);
    put(a, "a text that is longer than thirty-two letters, which is all the room there is", 78);
    strcpy(note, "done");
    free(a->text);
    free(b->text);
    free(a);
    free(b);
    puts(note);
    free(note);
    return 0;
}
"""

# Used where it was called: whether nothing may be found, or is to be checked.
NOT_FOUND_BY_THE_LIBRARY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct word { char text[12]; int n; };
static struct word words[8];
static size_t used;
static int cmp(const void *a, const void *b)
{
    return strcmp(((const struct word *)a)->text, ((const struct word *)b)->text);
}
static struct word *find(const char *text) {
    struct word key;
    strcpy(key.text, text);
    return bsearch(&key, words, used, sizeof *words, cmp);
}
static void add(const char *text) {
    strcpy(words[used].text, text);
    words[used++].n = 0;
}
static void count(const char *text) { find(text)->n++; }
int main(void) {
    const char *all[] = {"pear", "apple", "fig", "plum", "date"};
    for (int i = 0; i < 3; i++) add(all[i]);
    qsort(words, used, sizeof *words, cmp);
    for (int i = 0; i < 3; i++) count(all[i]);
    for (int i = 3; i < 5; i++) add(all[i]);
    for (int i = 0; i < 5; i++) count(all[i]);
    printf("%d\n", words[0].n);
    return 0;
}
"""

# A null that was copied over what the block's last owner left came from where it was copied.
COPIED_OVER_WHAT_WAS_LEFT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct style { int size; };
struct item { long id, kind; struct style *style; long pad[6]; };
static struct style plain = {12};
static struct item tmpl = {0, 1, &plain, {0}};
static void reset_template(void) { tmpl.style = NULL; } /* told */
static struct item *make(long id) {
    struct item *it = malloc(sizeof *it);
    for (int turn = 0; turn < 1; turn++) memcpy(it, &tmpl, sizeof *it - (id > 90));
    it->id = id;
    return it;
}
static int size_of(const struct item *it) { return it->style->size; }
int main(void) {
    for (int i = 0; i < 4; i++) {
        char *dirt = malloc(sizeof(struct item));
        memset(dirt, 'x', sizeof(struct item));
        free(dirt);
    }
    struct item *a = make(1);
    char *dirt = malloc(sizeof(struct item));
    memset(dirt, 'x', sizeof(struct item));
    free(dirt);
    reset_template();
    struct item *b = make(2);
    printf("%d %d\n", size_of(a), size_of(b));
    return 0;
}
"""

OFTEN = """
#include <stdio.h>
struct table { unsigned *slots, cap, used; };
static unsigned slots[64];
static unsigned hash(const char *s) { unsigned h = 5381; while (*s) h = h * 33 + *s++; return h; }
static void init(struct table *t, unsigned cap) { t->slots = slots; t->cap = cap; t->used = 0; }
static void put(struct table *t, const char *key) { t->slots[hash(key) % t->cap]++; t->used++; }
static void grow(struct table *t)
{
    struct table larger;
    init(&larger, t->cap << 28); // told: computed
    put(&larger, "first");
    *t = larger;
}
int main(void)
{
    struct table t;
    char key[32];
    init(&t, 64);
    for (int i = 0; i < 20000; i++) {
        snprintf(key, sizeof key, "the key of number %d", i);
        put(&t, key);
    }
    grow(&t);
}
"""

SHORTENED_BELOW_ZERO = """
#include <stdlib.h>
#include <string.h>
struct record { int at, length; };
static char store[64] = "hello world, abc";
static void trim(struct record *one, int by) { one->length -= by; } // told: computed
static char *copy_of(const struct record *one)
{
    char *copy = malloc(one->length + 1);
    return memcpy(copy, store + one->at, one->length);
}
int main(void)
{
    struct record first = {0, 11}, second = {13, 3};
    trim(&first, 5);
    trim(&second, 5);
    return *copy_of(&first) + *copy_of(&second);
}
"""

RAISED = """
#include <stdlib.h>
struct list { char **at; int count; };
static void fill(struct list *one, int count)
{
    one->count = count;
    one->at = calloc(count, sizeof *one->at);
    while (count--)
        one->at[count] = "item";
}
static void extend(struct list *one, int more)
{
    one->count += more; // told: computed
    if (one->count > 400)
        one->at = realloc(one->at, one->count * sizeof *one->at);
}
static int starts(const struct list *one)
{
    int sum = 0;
    for (int i = 0; i < one->count; i++)
        sum += one->at[i][0];
    return sum;
}
int main(void)
{
    struct list one;
    fill(&one, 20);
    starts(&one);
    extend(&one, 100);
    return starts(&one);
}
"""

ANOTHERS_COUNT = """
#include <stdlib.h>
struct register_of { int *ids, id_count, name_count; char **names; };
static struct register_of *make(int count)
{
    struct register_of *made = calloc(1, sizeof *made);
    made->id_count = made->name_count = count;
    made->ids = calloc(count, sizeof *made->ids);
    made->names = calloc(count, sizeof *made->names);
    while (count--)
        made->names[count] = "name";
    return made;
}
static void add_id(struct register_of *to)
{
    to->ids = realloc(to->ids, (to->id_count + 1) * sizeof *to->ids);
    to->ids[to->id_count] = 1;
    to->id_count++;
}
static int starts(const struct register_of *one)
{
    int sum = 0;
    for (int i = 0; i < one->id_count; i++)
        sum += one->names[i][0];
    return sum;
}
int main(void)
{
    struct register_of *one = make(6);
    starts(one);
    add_id(one);
    return starts(one);
}
"""

EMPTIED_SLOT = """
struct Item { name: String, parent: Option<usize> }
struct Store { items: Vec<Option<Item>> }
impl Store {
    fn add(&mut self, name: &str, parent: Option<usize>) -> usize {
        self.items.push(Some(Item { name: name.to_string(), parent }));
        self.items.len() - 1
    }
    fn remove(&mut self, id: usize) {
        self.items[id] = None; // told
    }
    fn path(&self, id: usize) -> String {
        let item = self.items[id].as_ref().unwrap();
        match item.parent {
            Some(parent) => format!("{}/{}", self.path(parent), item.name),
            None => item.name.clone(),
        }
    }
}
fn main() {
    let mut store = Store { items: Vec::new() };
    let root = store.add("root", None);
    let user = store.add("usr", Some(root));
    let library = store.add("lib", Some(user));
    println!("{}", store.path(library));
    store.remove(user);
    println!("{}", store.path(library));
}
"""

ENDED_TWICE = """
#include <string>
#include <vector>
struct Job { int id; long when; std::string what; };
struct Queue {
    std::vector<Job *> ready, all;
    void add(Job *job) { ready.push_back(job); all.push_back(job); }
    void run()
    {
        for (Job *job : ready)
            delete job; // told: freed
        ready.clear();
    }
    ~Queue()
    {
        for (Job *job : all)
            delete job;
    }
};
int main()
{
    Queue queue;
    queue.add(new Job{1, 2, "the first job, which has a rather long name"});
    queue.run();
}
"""

TEXTS_COPIED_AS_BYTES = """
#include <cstring>
#include <string>
#include <vector>
struct Record { int id; std::string note; };
int main()
{
    std::vector<Record> first, second;
    first.push_back({1, "a note that is longer than the small room of a text"});
    second.resize(1);
    std::memcpy(static_cast<void *>(second.data()), first.data(), sizeof(Record)); // told: shared
    second.clear();
    first.clear();
}
"""

BORROWED_TWICE = """
use std::cell::RefCell;
use std::rc::Rc;
type Handler = Rc<dyn Fn(&Bus, i32)>;
struct Bus { handlers: RefCell<Vec<Handler>> }
impl Bus {
    fn on(&self, handler: Handler) { self.handlers.borrow_mut().push(handler); }
    fn emit(&self, value: i32) {
        for handler in self.handlers.borrow().iter() { // told
            handler(self, value);
        }
    }
}
fn main() {
    let bus = Bus { handlers: RefCell::new(vec![]) };
    bus.on(Rc::new(|bus, value| {
        if value > 1 {
            bus.on(Rc::new(|_, _| {}));
        }
    }));
    for value in 0..3 {
        bus.emit(value);
    }
}
"""


RING_OF_A_FREED_NODE = r"""
#include <stdio.h>
#include <stdlib.h>
struct job { int id; long started; struct job *next; };
static struct job *all;
static struct job *submit(int id) {
    struct job *j = malloc(sizeof *j);
    j->id = id;
    j->next = all;
    all = j;
    return j;
}
static void cancel(struct job *j) { free(j); } // told: freed
int main(void) {
    submit(1);
    cancel(submit(2));
    submit(3);
    int n = 0;
    for (struct job *j = all; j; j = j->next) n += j->id != 0;
    printf("%d\n", n);
}
"""


MADE_AS_A_RING = r"""
#include <stdlib.h>
struct ring { int id; struct ring *next; };
static struct ring *make(int id) {
    struct ring *r = malloc(sizeof *r);
    r->id = id;
    r->next = r;
    return r;
}
int main(void) {
    free(make(1));
    struct ring *r = make(2);
    int n = 0;
    for (struct ring *at = r; at; at = at->next) n++; // told: looped
    return n;
}
"""


COPIED_BEFORE_IT_MOVED = r"""
#include <stdlib.h>
#include <string.h>
struct table { const char *names[8]; size_t n; char *line; size_t room; };
static void add(struct table *t, size_t size) {
    if (size > t->room) {
        t->room = size * 2;
        t->line = realloc(t->line, t->room); // told: freed
    }
    memset(t->line, 'x', size - 1);
    t->line[size - 1] = 0;
    t->names[t->n++] = t->line;
}
int main(void) {
    struct table *t = calloc(1, sizeof *t), kept = {.n = 0};
    add(&kept, 300000);
    t->names[0] = kept.names[0];
    add(&kept, 3000000);
    return (int)strlen(t->names[0]);
}
"""


MOVED_BEFORE_IT_WAS_GIVEN = r"""
#include <map>
#include <memory>
struct conn { long sent = 0; };
struct server {
    std::map<int, std::unique_ptr<conn>> all;
    conn *last = nullptr;
    void note(conn *c) { last = c; }
    void open(int fd) {
        auto c = std::make_unique<conn>();
        all[fd] = std::move(c); // told: cleared
        note(c.get());
    }
    long account(long n) { return last->sent += n; }
};
int main() {
    server s;
    s.open(3);
    return (int)s.account(5);
}
"""


CLOSED_BEFORE_IT_WAS_OPENED = r"""
#include <cstdio>
struct counter { long lines = 0; };
struct file {
    int fd;
    counter *log;
    file() : fd(-1), log(nullptr) {}
    void open(counter *l) { fd = 3; log = l; }
    void close() { fd = -1; log = nullptr; }
    void line() { log->lines++; }
};
int main(int argc, char **) {
    file f;
    counter l;
    f.close();
    if (argc > 1) f.open(&l);
    f.line();
    printf("%ld\n", l.lines);
}
"""

SWEPT_UNMARKED = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct object { struct object *all, *ref; int marked; char *name; };
static struct object *heap, *root, *pinned;
static struct object *make(const char *name, struct object *ref)
{
    struct object *one = malloc(sizeof *one);
    *one = (struct object){heap, ref, 0, strdup(name)};
    return heap = one;
}
static void mark(struct object *one)
{
    for (; one && !one->marked; one = one->ref) one->marked = 1;
}
static void sweep(void)
{
    for (struct object **at = &heap; *at;) {
        struct object *one = *at;
        if (one->marked) { one->marked = 0; at = &one->all; continue; }
        *at = one->all;
        free(one->name);
        free(one);
    }
}
int main(void)
{
    root = make("root", make("leaf", NULL));
    pinned = make("pinned", NULL);
    mark(root);
    sweep();
    for (int i = 0; i < 4; i++) memset(malloc(sizeof *root), 0x7f, sizeof *root);
    return strlen(root->name) + strlen(pinned->name);
}
"""

OF_AN_OLD_EPOCH = """
#include <stdlib.h>
#include <string.h>
struct entry { int key; unsigned epoch; char *text; };
static struct entry *one[4], *two[4];
static unsigned epoch = 1;
static struct entry *entry(int key)
{
    struct entry *made = malloc(sizeof *made);
    *made = (struct entry){key, epoch, strdup("a text")};
    return made;
}
static void touch_all(void) { for (int i = 0; i < 4; i++) one[i]->epoch = epoch; }
static void drop_old(struct entry **at)
{
    for (int i = 0; i < 4; i++)
        if (at[i]->epoch != epoch) { free(at[i]->text); free(at[i]); }
}
int main(void)
{
    for (int i = 0; i < 4; i++) { one[i] = entry(i); two[i] = entry(i + 4); }
    epoch++;
    touch_all();
    drop_old(one);
    drop_old(two);
    for (int i = 0; i < 8; i++) memset(malloc(sizeof(struct entry)), 0x33, sizeof(struct entry));
    return strlen(one[1]->text) + strlen(two[1]->text);
}
"""

NEVER_SHOWN = """
#include <memory>
#include <string>
#include <vector>
struct Pane { std::string title; bool visible = false; };
struct Screen {
    std::vector<std::unique_ptr<Pane>> panes;
    Pane *add(const char *title)
    {
        panes.push_back(std::make_unique<Pane>());
        panes.back()->title = title;
        return panes.back().get();
    }
    void show_all() { for (size_t i = 0; i + 1 < panes.size(); i++) panes[i]->visible = true; }
    void purge() { for (auto &pane : panes) if (pane && !pane->visible) pane.reset(); }
};
int main()
{
    Screen screen;
    Pane *first = screen.add("a pane with a title that is longer than the small room of a text");
    Pane *last = screen.add("another pane with a title that is longer than the small room");
    screen.show_all();
    screen.purge();
    auto *other = new long[5];
    for (int i = 0; i < 5; i++) other[i] = 0x2222222222222222;
    int sum = first->title.c_str()[0] + last->title.c_str()[0];
    delete[] other;
    return sum;
}
"""

COUNTED_NOTHING = """
#include <stdio.h>
struct stat { long sum; int count; };
static void reset(struct stat *s) { s->sum = 0; s->count = 0; }
static void feed(struct stat *s, const int *v, int n, int low)
{
    reset(s);
    for (int i = 0; i < n; i++)
        if (v[i] >= low) { s->sum += v[i]; s->count++; }
}
static long mean(const struct stat *s) { return s->sum / s->count; }
int main(void)
{
    int v[] = {3, 5, 9, 12};
    struct stat s;
    for (int low = 0; low < 20; low += 5) {
        feed(&s, v, 4, low);
        printf("%ld\\n", mean(&s));
    }
}
"""
COUNTED_NOTHING_SINCE = COUNTED_NOTHING.replace("    reset(s);\n", "").replace(
    "feed(&", "reset(&s); feed(&"
)

LOCKED_FOR_ITS_CALLER = """
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t base = PTHREAD_MUTEX_INITIALIZER;
static int rows;
static void begin(void) { pthread_mutex_lock(&base); }
static void commit(void) { pthread_mutex_unlock(&base); }
static int save(int n)
{
    begin(); // told: locked
    if (n > 3)
        return -1;
    rows += n;
    commit();
    return 0;
}
static void *worker(void *arg)
{
    for (int i = 0; i < 6; i++) save(i);
    return arg;
}
int main(void)
{
    pthread_t thread;
    save(1);
    pthread_create(&thread, NULL, worker, NULL);
    usleep(20000);
    save(2);
    pthread_join(thread, NULL);
    return rows;
}
"""

END_OF_WORDS = """
#include <stdio.h>
#include <stdlib.h>
struct lexer { char *at, *word; };
static char *next(struct lexer *l)
{
    while (*l->at == ' ') l->at++;
    if (!*l->at) return l->word = NULL;
    l->word = l->at;
    while (*l->at && *l->at != ' ') l->at++;
    if (*l->at) *l->at++ = 0;
    return l->word;
}
static int value_of(struct lexer *l) { return atoi(l->word); }
static int pair_of(struct lexer *l) { next(l); return value_of(l); }
int main(void)
{
    char text[] = "width 10 height 20 depth";
    struct lexer l = {text, NULL};
    int sum = 0;
    while (next(&l)) sum += pair_of(&l);
    return sum;
}
"""

CUT_BEHIND_ITS_END = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct text { char *data; size_t length; };
static void cut(struct text *t, size_t at, size_t n)
{
    memmove(t->data + at, t->data + at + n, t->length - at - n + 1); // told
    t->length -= n;
}
static void cut_word(struct text *t, size_t cursor) { cut(t, cursor, 4); }
int main(void)
{
    struct text t = {strdup("a text with some words"), 22};
    cut_word(&t, 2);
    cut_word(&t, 16);
    printf("%s\\n", t.data);
}
"""

LEFT_BY_A_VARIABLE = """
#include <stdlib.h>
#include <string.h>
static char **build(const char *first, const char *second)
{
    char **list = malloc(3 * sizeof *list);
    list[0] = strdup(first);
    list[1] = strdup(second);
    return list;
}
static size_t total(char **list)
{
    size_t sum = 0;
    for (int i = 0; list[i]; i++) sum += strlen(list[i]);
    return sum;
}
int main(void)
{
    char *scratch = malloc(24);
    memset(scratch, 0x66, 24);
    free(scratch);
    return (int)total(build("one", "two"));
}
"""

ENDED_BY_TWO = """
#include <stdlib.h>
#include <string.h>
struct conn { long id, used; char *peer, *in; };
static struct conn *all[4];
static void conn_free(struct conn *c)
{
    free(c->peer);
    free(c->in);
    free(c);
}
static void expire(long now)
{
    for (int i = 0; i < 4; i++)
        if (all[i]->used + 10 < now)
            conn_free(all[i]); // told: freed
}
static void close_all(void) { for (int i = 0; i < 4; i++) conn_free(all[i]); }
int main(void)
{
    for (int i = 0; i < 4; i++) {
        all[i] = malloc(sizeof **all);
        *all[i] = (struct conn){i, i * 10, strdup("a peer with a name"), malloc(100)};
    }
    expire(25);
    close_all();
}
"""


GREW_BY_TOO_LITTLE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct buf { char *data; size_t n, room; };
static void reserve(struct buf *b, size_t more) {
    if (b->n + more <= b->room) return;
    size_t room = b->room + b->room / 2;
    b->data = realloc(b->data, room);
    b->room = room;
}
static void append(struct buf *b, const char *s, size_t n) {
    reserve(b, n);
    memcpy(b->data + b->n, s, n);
    b->n += n;
}
int main(void) {
    struct buf b = {malloc(16), 0, 16};
    char big[600];
    memset(big, 'b', sizeof big);
    append(&b, "head:", 5);
    append(&b, "0123456789", 10);
    append(&b, "0123456789", 10);
    append(&b, big, 600);
    append(&b, "tail", 4);
    return printf("%zu\n", b.n);
}
"""

NEVER_SHOWN_AT_O2 = NEVER_SHOWN

CAST_OF_GONE = """
#include <vector>
struct Node { virtual ~Node() = default; };
struct Shape : Node { int area = 3; virtual int size() { return area; } };
struct Entry { long key, kind, uses; Shape shape; };
struct Scene {
    std::vector<Node *> nodes;
    Entry *add() { auto one = new Entry{1, 2, 3, {}}; nodes.push_back(&one->shape); return one; }
    void remove(Entry *one)
    {
        one->uses = 0;
        delete one; // told: freed
    }
    int total()
    {
        int sum = 0;
        for (Node *one : nodes) sum += dynamic_cast<Shape *>(one)->size();
        return sum;
    }
};
int main()
{
    Scene scene;
    scene.add();
    Entry *second = scene.add();
    int before = scene.total();
    scene.remove(second);
    return before - scene.total();
}
"""

TAKEN_OUT_BEFORE = """
use std::mem::{replace, MaybeUninit};
struct Ring<T, const N: usize> { slots: [MaybeUninit<T>; N], first: usize, count: usize }
impl<T, const N: usize> Ring<T, N> {
    fn push(&mut self, one: T) {
        self.slots[(self.first + self.count) % N] = MaybeUninit::new(one);
        self.count += 1;
    }
    fn pop_front(&mut self) -> T {
        let taken = replace(&mut self.slots[self.first], MaybeUninit::uninit());
        self.first = (self.first + 1) % N;
        self.count -= 1;
        unsafe { taken.assume_init() }
    }
    fn pop_back(&mut self) -> T {
        self.count -= 1;
        let taken = replace(&mut self.slots[self.count], MaybeUninit::uninit());
        unsafe { taken.assume_init() }
    }
}
fn main() {
    let slots = [const { MaybeUninit::uninit() }; 8];
    let mut ring: Ring<Box<String>, 8> = Ring { slots, first: 0, count: 0 };
    for at in 0..6 { ring.push(Box::new(format!("message {}", at))); }
    for _ in 0..3 { println!("{}", ring.pop_front()); }
    for _ in 0..3 { println!("{}", ring.pop_back()); }
}
"""

COUNTED_BEFORE_FILLED = """
struct Slots { words: [usize; 8], count: usize }
impl Slots {
    fn new() -> Slots { Slots { words: Default::default(), count: 0 } }
    fn fill(&mut self, texts: &[&str]) {
        self.count = texts.len();
        for (at, text) in texts.iter().enumerate() {
            if text.is_empty() { break; }
            self.words[at] = Box::into_raw(Box::new(text.to_string())) as usize;
        }
    }
    fn text(&self, at: usize) -> &String { unsafe { &*(self.words[at] as *const String) } }
}
fn main() {
    let mut slots = Slots::new();
    slots.fill(&["one", "two", "", "four"]);
    let mut all = 0;
    for at in 0..slots.count {
        all += slots.text(at).len();
    }
    println!("{}", all);
}
"""

DROPPED_BEFORE_ITS_PLACE_MOVED = """
use std::panic::{catch_unwind, AssertUnwindSafe};
struct Packet { from: String, acked: bool }
impl Drop for Packet {
    fn drop(&mut self) { if !self.acked { panic!("it was not acknowledged") } }
}
struct Ring { slots: Vec<Packet>, head: usize, tail: usize }
impl Ring {
    fn skip(&mut self, count: usize) {
        for at in self.head..self.head + count {
            unsafe { std::ptr::drop_in_place(self.slots.as_mut_ptr().add(at)) } // told: freed
        }
        self.head += count;
    }
    fn pop(&mut self) -> Option<Packet> {
        if self.head == self.tail { return None; }
        self.head += 1;
        Some(unsafe { std::ptr::read(self.slots.as_ptr().add(self.head - 1)) })
    }
}
fn main() {
    let mut slots = Vec::with_capacity(4);
    for at in 0..4 {
        let from = format!("host number {} of a large net in a far town", at);
        slots.push(Packet { from, acked: at != 1 });
    }
    let mut ring = Ring { tail: slots.len(), slots, head: 0 };
    unsafe { ring.slots.set_len(0) };
    std::panic::set_hook(Box::new(|_| {}));
    let done = catch_unwind(AssertUnwindSafe(|| ring.skip(3))).is_ok();
    while let Some(mut packet) = ring.pop() { packet.acked = true; }
    println!("{}", done);
}
"""

DOUBLED_ELEMENTS = """
struct Table { cells: Vec<Box<i64>>, columns: usize }
impl Table {
    fn insert(&mut self, row: &[&str]) {
        let count = self.cells.len();
        self.cells.reserve(self.columns);
        unsafe {
            let first = self.cells.as_mut_ptr();
            std::ptr::copy(first, first.add(self.columns), count);
            self.cells.set_len(count + self.columns);
            for (at, text) in row.iter().enumerate() {
                let Ok(number) = text.parse() else { return };
                first.add(at).write(Box::new(number));
            }
        }
    }
}
fn main() {
    let mut table = Table { cells: vec![Box::new(1), Box::new(2), Box::new(3)], columns: 3 };
    table.insert(&["4", "five", "6"]);
    println!("{}", table.cells.len());
}
"""


ASKED_WHETHER_OPEN = r"""
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
struct chan { int fd; int open; };
static int is_open(const struct chan *c) { return c->open; }
static void hang_up(struct chan *c) {
    c->open = 0; // told: cleared
    c->fd = -1;
}
static void say(struct chan *c, int v) {
    assert(is_open(c));
    printf("%d %d\n", c->fd, v);
}
int main(void) {
    struct chan *c = calloc(1, sizeof *c);
    c->open = 1;
    say(c, 1);
    hang_up(c);
    say(c, 2);
}
"""


EMPTY_OPTIONAL = r"""
#include <optional>
#include <string>
struct user {
    std::optional<std::string> mail;
    void forget() { mail.reset(); } // told: cleared
    size_t length() const { return mail.value().size(); }
};
int main() {
    user u;
    u.mail = "a@b";
    size_t n = u.length();
    u.forget();
    return (int)(n + u.length());
}
"""

GREW_WHERE_IT_HAD_GROWN = """
#include <stdlib.h>
int main(void)
{
    char *text = malloc(2000), *wall = malloc(16), *kept = text;
    for (int round = 0; round < 2; round++) {
        text = realloc(text, 9000); // told: freed
        if (round) break;
        text = malloc(24);
        for (int at = 0; at < 40; at++)
            kept[at] = 'a';
    }
    return wall == text;
}
"""

TAKEN_WHERE_IT_HAD_BEEN = """
#include <stdlib.h>
int main(void)
{
    char *kept = malloc(2000), *wall = malloc(16), *text = kept, *big;
    big = realloc(text, 9000);
    text = malloc(24);
    kept = text;
    for (int at = 0; at < 40; at++)
        kept[at] = 'a'; // told: written
    big = realloc(big, 20);
    free(text);
    malloc(1200);
    return wall == big;
}
"""

FEWER_THAN_ITS_FORM_SAYS = """
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
static char line[256];
static void put(const char *text) { strcat(line, text); }
static void report(int code, const char *form, ...)
{
    va_list more;
    va_start(more, form);
    for (; *form; form++)
        if (*form == '%')
            put(va_arg(more, char *));
    va_end(more);
    printf("%d %s", code, line);
}
static void open_file(const char *path)
{
    char text[100];
    snprintf(text, sizeof text, "no file %s", path);
    report(3, text); // told: never-set
}
int main(int count, char **words)
{
    open_file(count > 1 ? words[1] : "a%b");
    return 0;
}
"""

PRINTED_AS_A_FORM = """
#include <stdio.h>
int main(int count, char **words)
{
    char text[100];
    snprintf(text, sizeof text, "no file %s", count > 1 ? words[1] : "a%sb%s%n%n%n");
    printf(text); // told: never-set
    return 0;
}
"""

GIVEN_BACK_WHEN_GONE = """
#include <stdio.h>
#include <stdlib.h>
struct node { int kind; char *name; struct node *next; };
static struct node *list;
static void drop_all(void)
{
    while (list) {
        struct node *one = list;
        list = one->next;
        free(one);
    }
}
static struct node *load(int count)
{
    struct node *first = NULL;
    for (int at = 0; at < count; at++) {
        struct node *one = malloc(sizeof *one);
        *one = (struct node){at, "n", list};
        if (!first)
            first = one;
        if (at)
            list = one;
        else
            free(one); // told: freed
    }
    return first;
}
int main(int count, char **words)
{
    struct node *first = load(count + 3 + !words);
    drop_all();
    return puts(first->name);
}
"""

FOUND_IN_A_CACHE = """
#include <stdio.h>
#include <stdlib.h>
struct node { char *name; int kind; struct node *next; };
static struct node *cache;
static struct node *find(int kind)
{
    for (struct node *one = cache; one; one = one->next)
        if (one->kind == kind)
            return one;
    struct node *made = malloc(sizeof *made);
    *made = (struct node){"x", kind, cache};
    cache = made;
    return made;
}
static void purge(void)
{
    while (cache) {
        struct node *one = cache;
        cache = one->next;
        free(one); // told: freed
    }
}
int main(int count, char **words)
{
    find(count);
    purge();
    find(count);
    struct node *same = find(count + !words);
    purge();
    return puts(same->name);
}
"""

DESTROYED_WITH_ITS_LAST_HOLDER = """
#include <stdio.h>
#include <stdlib.h>
struct node { char *name; int holders; };
static void destroy(struct node *one)
{
    one->name = NULL;
    free(one);
}
static int release(struct node *one)
{
    if (--one->holders > 0)
        return one->holders;
    destroy(one);
    return 0;
}
static struct node *load(char **words)
{
    struct node *one = malloc(sizeof *one);
    one->name = words[0];
    one->holders = 1;
    release(one); // told: freed
    return one;
}
int main(int count, char **words)
{
    struct node *one = load(words);
    return count > 9 ? release(one) : puts(one->name + 9999999999999);
}
"""


PUT_IN_TWICE = r"""
#include <stdio.h>
#include <stdlib.h>
struct job { int id, tries; struct job *next; };
static struct job *head;
static void enqueue(struct job *j) { j->next = head; head = j; }
static struct job *dequeue(void) {
    struct job *j = head;
    head = j->next;
    return j;
}
static struct job *made(int id) {
    struct job *j = malloc(sizeof *j);
    j->id = id, j->tries = 0, j->next = NULL;
    return j;
}
static void retry(struct job *j) {
    enqueue(j);
    if (++j->tries > 1) enqueue(j); /* the mistake */
}
int main(void) {
    enqueue(made(1));
    free(dequeue());
    enqueue(made(2));
    for (int n = 0; n < 2; n++) retry(dequeue());
    int sum = 0;
    for (struct job *j = head; j; j = j->next) sum += j->id != 0;
    printf("%d\n", sum);
}
"""


NOT_FOUND_FOR_ITS_CALLER = r"""
#include <stdio.h>
#include <string.h>
struct entry { const char *key; int value; };
static struct entry all[] = {{"alpha", 1}, {"beta", 2}};
static int find(const char *key, struct entry **out) {
    for (int n = 0; n < 2; n++)
        if (!strcmp(all[n].key, key)) { *out = &all[n]; return 0; }
    *out = NULL;
    return -1;
}
int main(void) {
    const char *keys[] = {"alpha", "gamma"};
    struct entry *e = NULL;
    int sum = 0;
    for (int n = 0; n < 2; n++) {
        find(keys[n], &e);
        sum += e->value;
    }
    printf("%d\n", sum);
}
"""


RELEASED_AS_A_LEAF = r"""
#include <stdio.h>
#include <stdlib.h>
struct node { int key; struct node *left, *right; };
static struct node *made(int key, struct node *left, struct node *right) {
    struct node *n = malloc(sizeof *n);
    n->key = key, n->left = left, n->right = right;
    return n;
}
static struct node *rotated(struct node *n) {
    struct node *l = n->left;
    n->left = l->right;
    n->right = NULL; /* the mistake */
    l->right = n;
    return l;
}
static struct node *pruned(struct node *n) {
    if (!n) return NULL;
    n->left = pruned(n->left);
    n->right = pruned(n->right);
    if (!n->left && !n->right && n->key > 50) { free(n); return NULL; }
    return n;
}
int main(void) {
    struct node *top = made(60, made(40, NULL, NULL), made(30, NULL, NULL));
    struct node *root = pruned(rotated(top));
    free(malloc(24));
    printf("%d %d\n", root->key, top->left->key);
}
"""


RELEASED_AS_A_LEAF_AT_O2 = RELEASED_AS_A_LEAF


LOOKED_FOR_A_COLON = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct header { char *name, *value; };
static int parse(char *line, struct header *h) {
    char *colon = strchr(line, ':');
    h->name = line;
    h->value = colon;
    if (colon) *colon = 0, h->value = colon + 1;
    return colon != NULL;
}
static unsigned long length(struct header *all, int n) {
    for (int i = 0; i < n; i++)
        if (!strcmp(all[i].name, "Length")) return strtoul(all[i].value, NULL, 10);
    return 0;
}
int main(void) {
    char text[2][16] = {"Host: x", "Length"};
    struct header *all = calloc(2, sizeof *all);
    for (int i = 0; i < 2; i++) parse(text[i], &all[i]);
    printf("%lu\n", length(all, 2));
}
"""


GIVEN_NULL_AS_ALLOWED = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct conn { int fd; char *peer; };
static struct conn *all[4];
static int n;
__attribute__((noinline)) static int add(int fd, const char *peer) {
    int i = 0;
    while (i < n && all[i]) i++;
    n += i == n;
    all[i] = malloc(sizeof(struct conn));
    all[i]->fd = fd;
    all[i]->peer = peer ? strdup(peer) : NULL;
    return i;
}
static void drop(int at) {
    free(all[at]->peer);
    free(all[at]);
    all[at] = NULL;
}
static size_t length(int at) { return strlen(all[at]->peer); }
int main(void) {
    int a = add(3, "10.0.0.1"), b = add(4, "10.0.0.2");
    drop(a);
    int c = add(5, NULL);
    printf("%zu %d\n", length(b) + length(a), c);
}
"""


KNOWN_TO_THE_COMPILER = r"""
#include <stdio.h>
#include <string.h>
struct option { const char *name, *value; };
static int parse(struct option *o, int n, const char **words) {
    int count = 0;
    for (int i = 0; i < n; i += 2) o[count++] = (struct option){words[i], words[i + 1]};
    return count;
}
static size_t widest(const struct option *o, int n) {
    size_t w = 0;
    for (int i = 0; i < n; i++)
        if (strlen(o[i].value) > w) w = strlen(o[i].value);
    return w;
}
int main(void) {
    const char *words[] = {"-o", "out.txt", "-v", NULL};
    struct option o[4];
    printf("%zu\n", widest(o, parse(o, 3, words)));
}
"""


CAST_FOR_ITS_CALLER = r"""
#include <cstdio>
#include <memory>
struct shape { virtual ~shape() {} };
struct circle : shape { double r = 2; };
struct square : shape { double a = 3; };
static const circle *as_circle(const shape *s) { return dynamic_cast<const circle *>(s); }
static std::unique_ptr<shape> made(char kind) {
    if (kind == 'c') return std::make_unique<circle>();
    return std::make_unique<square>(); /* the mistake: 'o' is a circle, too */
}
int main(int argc, char **) {
    double sum = 0;
    for (const char *kind = "co" + (argc > 1); *kind; kind++)
        sum += as_circle(made(*kind).get())->r;
    std::printf("%g\n", sum);
}
"""

AFTER_MUCH_MEMORY = """
#include <stdlib.h>
struct item { long tag; int *at; };
static void *kept[6000];
static struct item *held;
static void drop(struct item *one) { free(one->at); free(one); }
int main(void)
{
    for (int i = 0; i < 6000; i++) kept[i] = malloc(40 + i % 9);
    held = malloc(sizeof *held);
    held->at = malloc(1000);
    held->tag = 7;
    drop(held);
    for (int i = 0; i < 4; i++) kept[i] = calloc(2, 8);
    return *held->at + kept[0] == 0;
}
"""

RELEASED_BY_A_HOOK = """
#include <stdlib.h>
#include <string.h>
static void (*give_back)(void *) = free;
struct word { char *text; int length; };
static void skip(struct word *one, char what) { while (*one->text == what) one->text++; } // told
static void forget(struct word *one) { give_back(one->text); one->text = NULL; }
int main(void)
{
    struct word one = {strdup("   three spaces"), 15};
    skip(&one, ' ');
    one.length = (int)strlen(one.text);
    if (one.length < 4) return 1;
    forget(&one);
    return 0;
}
"""

# The pointer went through functions that are called hundreds of times.
KEPT_WHILE_IT_GREW = r"""
#include <functional>
#include <string>
#include <vector>
#include <cstdio>
#include <memory>
struct Plugin { std::string name; std::vector<int> stats; };
class Registry {
    std::vector<Plugin> plugins;
public:
    Plugin &add(const std::string &n) {
        plugins.push_back(Plugin{n, {}}); // told
        return plugins.back();
    }
    size_t size() const { return plugins.size(); }
};
struct Monitor {
    Plugin *watched = nullptr;
    void watch(Plugin &p) { watched = &p; }
    void tick(int v) { watched->stats.push_back(v); }
    void print() { std::printf("%s %zu\n", watched->name.c_str(), watched->stats.size()); }
};
int main() {
    Registry reg;
    Monitor m;
    m.watch(reg.add("network"));
    m.tick(1);
    for (int i = 0; i < 5; i++) reg.add("extra-plugin-with-long-name-" + std::to_string(i));
    std::vector<std::string> fill;
    for (int i = 0; i < 40; i++) fill.push_back(std::string(50, 'x'));
    for (int i = 0; i < 100; i++) m.tick(i);
    m.print();
}
"""

# Where a map lies is another place in each run, unless its seed is the same.
INDEX_KEPT_BY_NAME = r"""
use std::collections::HashMap;
struct Item { name: String, qty: u32 }
struct Store { items: Vec<Item>, by_name: HashMap<String, usize> }
impl Store {
    fn new() -> Self { Store { items: Vec::new(), by_name: HashMap::new() } }
    fn add(&mut self, name: &str, qty: u32) {
        self.by_name.insert(name.to_string(), self.items.len());
        self.items.push(Item { name: name.to_string(), qty });
    }
    fn remove(&mut self, name: &str) {
        if let Some(i) = self.by_name.remove(name) {
            self.items.remove(i); // told
        }
    }
    fn qty(&self, name: &str) -> u32 {
        match self.by_name.get(name) {
            Some(&i) => { let it = &self.items[i]; println!("{}", it.name); it.qty }
            None => 0,
        }
    }
}
fn main() {
    let mut s = Store::new();
    for (n, q) in [("bolt", 10), ("nut", 20), ("washer", 30)] { s.add(n, q); }
    println!("{}", s.qty("nut"));
    s.remove("bolt");
    println!("{}", s.qty("nut"));
    println!("{}", s.qty("washer"));
}
"""

# A range is walked that loses elements meanwhile, which are cleared twice on their way out.
DROPPED_IN_ITS_WALK = r"""
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>
struct Rule {
    std::string code; double off; bool once;
    virtual ~Rule() {}
    virtual double apply(double p) { return p * (1 - off); }
};
class Cart {
    std::vector<std::unique_ptr<Rule>> rules;
public:
    void add(const char *code, double off, bool once)
    {
        auto rule = std::make_unique<Rule>();
        rule->code = code; rule->off = off; rule->once = once;
        rules.push_back(std::move(rule));
    }
    void drop(const std::string &code)
    {
        auto is = [&](auto &rule) { return rule->code == code; };
        rules.erase(std::remove_if(rules.begin(), rules.end(), is), rules.end()); // told
    }
    double price()
    {
        double price = 100;
        for (auto &rule : rules) {
            price = rule->apply(price);
            if (rule->once) drop(rule->code);
        }
        return price;
    }
};
int main() {
    Cart cart;
    cart.add("SPRING", 0.1, false); cart.add("FIRST", 0.2, true); cart.add("CLUB", 0.05, false);
    std::printf("%f\n", cart.price());
}
"""

# The address of a member went on, whose object had been got before it was released.
DELETED_IN_ITS_CALLBACK = r"""
#include <cstdio>
#include <functional>
#include <string>
#include <vector>
class Timer {
    std::string name; int left; std::function<void(Timer *)> done; std::vector<int> laps;
public:
    Timer(const char *n, int l, std::function<void(Timer *)> d) : name(n), left(l), done(d) {}
    void tick()
    {
        laps.push_back(left);
        if (--left == 0) { done(this); laps.push_back(0); }
    }
};
int main() {
    Timer slow("slow", 5, [](Timer *) { std::puts("slow"); });
    auto *quick = new Timer("quick", 2, [](Timer *timer) {
        delete timer; // told
        std::string text(sizeof(Timer) - 1, 'q');
        std::puts(text.c_str());
    });
    for (int i = 0; i < 2; i++) { slow.tick(); quick->tick(); }
}
"""

# What a variable of the function leads to has a union, in another block than the cell.
PARENT_GONE = r"""
#include <cstdio>
#include <memory>
#include <string>
#include <vector>
struct Node {
    std::string name;
    Node *parent = nullptr;
    std::vector<std::shared_ptr<Node>> kids;
    explicit Node(std::string n) : name(std::move(n)) {}
    void add(std::shared_ptr<Node> k) { k->parent = this; kids.push_back(std::move(k)); }
    std::string path() const { return parent ? parent->path() + "/" + name : name; }
};
static std::shared_ptr<Node> pick(const std::shared_ptr<Node> &root, const std::string &n) {
    for (auto &k : root->kids) {
        if (k->name == n) return k;
        if (auto f = pick(k, n)) return f;
    }
    return nullptr;
}
struct Scene {
    std::shared_ptr<Node> root = std::make_shared<Node>("root");
    void clear() { root = std::make_shared<Node>("empty"); } // told
};
int main() {
    Scene s;
    auto body = std::make_shared<Node>("body"), arm = std::make_shared<Node>("the longer arm");
    body->add(arm); s.root->add(body);
    body.reset(); arm.reset();
    auto sel = pick(s.root, "the longer arm");
    std::printf("%s\n", sel->path().c_str());
    s.clear();
    std::vector<std::string> fill(20, std::string(80, 'f'));
    std::printf("%s\n", sel->path().c_str());
}
"""

# It was put on the list of free ones twice, which leads from it to itself since.
PUT_BACK_TWICE = r"""
#include <stdlib.h>
#include <string.h>
struct frame { int id; unsigned char *plane; struct frame *next; };
static struct frame *unused;
static struct frame *get(void)
{
    struct frame *one = unused;
    if (one) unused = one->next; else one = calloc(1, sizeof *one);
    one->plane = malloc(64);
    return one;
}
static void put(struct frame *one)
{
    free(one->plane);
    one->plane = NULL;
    one->next = unused;
    unused = one;
}
static int decode(int number)
{
    struct frame *one = get();
    one->plane[0] = number;
    if (number % 3 == 2) put(one); // told
    put(one);
    return number;
}
int main(void)
{
    int sum = 0;
    for (int at = 0; at < 3; at++) sum += decode(at);
    struct frame *one = get(), *other = get();
    put(one);
    other->plane[3] = sum;
    return 0;
}
"""


SWEPT_AS_UNLOADED = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct image { int wide; struct image *next; char *pixels; };
static struct image *all, *current;
static struct image *load(int wide) {
    struct image *i = malloc(sizeof *i);
    i->wide = wide, i->pixels = malloc(wide), i->next = all;
    return all = i;
}
static void unload(struct image *i) { free(i->pixels), i->pixels = NULL; }
static void purge(void) {
    for (struct image **at = &all, *i; (i = *at);) {
        if (!i->pixels) { *at = i->next; free(i); } else at = &i->next;
    }
}
int main(void) {
    load(8);
    current = load(16);
    unload(current); /* the mistake */
    purge();
    memset(malloc(sizeof(struct image)), 0x55, sizeof(struct image));
    printf("%d\n", current->next->wide);
}
"""


EVICTED_FROM_THE_END = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct entry { char *body; int key; struct entry *next; };
struct cache { struct entry *first; int count, limit; };
static void trim(struct cache *c) {
    while (c->count > c->limit) {
        struct entry **link = &c->first;
        while ((*link)->next != NULL) link = &(*link)->next;
        struct entry *last = *link;
        *link = NULL;
        free(last->body);
        free(last); /* told: freed */
        c->count--;
    }
}
__attribute__((noinline)) static struct entry *put(struct cache *c, int key, const char *body) {
    struct entry *e = malloc(sizeof *e);
    e->key = key, e->body = strdup(body), e->next = c->first;
    c->first = e, c->count++;
    trim(c);
    return e;
}
int main(void) {
    struct cache *c = calloc(1, sizeof *c);
    c->limit = 3;
    struct entry *e = put(c, 1, "a text");
    for (int key = 2; key < 5; key++) put(c, key, "a text that is longer than the other one was");
    memset(malloc(sizeof *e), 0x55, sizeof *e);
    printf("%c\n", e->body[0]);
}
"""

OWNED_BY_WHO_WAS_GIVEN_IT = """
use std::mem::ManuallyDrop;
fn each<F: FnMut(String)>(items: Box<[String]>, mut f: F) {
    unsafe {
        for item in items.iter() {
            f(std::ptr::read(item)); // told: shared
        }
        drop(Box::from_raw(Box::into_raw(items) as *mut [ManuallyDrop<String>]));
    }
}
fn main() {
    let words = vec![String::from("first"), String::from("second")];
    each(words.into_boxed_slice(), |word| if word.len() > 4 { panic!("too long") });
}
"""

OWNED_BY_ITSELF_TWICE = """
struct Note { text: String }
fn file(note: Note) -> usize {
    let copy = unsafe { std::ptr::read(&note.text) };
    let length = copy.len() / 2;
    drop(copy); // told: freed
    length
}
fn main() {
    println!("{}", file(Note { text: String::from("one of them") }));
}
"""

# What a local had of it was gone when it was used, and its holder could not be watched as well.
KEPT_PART_OF_A_LOCAL = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct opts { char *mode; int level; };
static char *trim(char *s) { while (*s == ' ') s++; return s; }
static struct opts *parse(const char *text) {
    char buf[64];
    struct opts *o = malloc(sizeof *o);
    strncpy(buf, text, sizeof buf - 1); buf[63] = 0;
    char *eq = strchr(buf, '=');
    *eq = 0;
    o->mode = trim(buf); // told
    o->level = atoi(eq + 1);
    return o;
}
static int deep(int n)
{
    char pad[200];
    memset(pad, n, sizeof pad);
    return pad[n % 200] + (n ? deep(n - 1) : 0);
}
int main(void) {
    struct opts *o = parse(" fast=3");
    int sum = deep(20); /* the last call: what a loader leaves there hangs on the processor */
    char **words = (char **)(void *)o->mode;
    return o->level + **words + sum;
}
"""

# Two numbers are compared, of which none leads to the other.
COUNT_AND_LIST = r"""
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
struct node { int v; struct node *next; };
struct list { struct node *head; int count; };
static void push(struct list *l, int v)
{
    struct node *n = malloc(sizeof *n);
    n->v = v; n->next = l->head; l->head = n; l->count++;
}
static void pop(struct list *l)
{
    struct node *n = l->head;
    l->head = n->next;
    free(n);
    l->count--;
}
static void drop(struct list *l, int v)
{
    struct node **p = &l->head;
    while (*p)
        if ((*p)->v == v) *p = (*p)->next; else p = &(*p)->next;
}
static void check(const struct list *l)
{
    int n = 0;
    for (struct node *p = l->head; p; p = p->next) n++;
    assert(n == l->count);
}
int main(void)
{
    struct list l = {0};
    for (int at = 0; at < 6; at++) push(&l, at % 3);
    check(&l);
    pop(&l);
    check(&l);
    drop(&l, 1);
    check(&l);
    return 0;
}
"""

# One call released two members that are one.
SHARED_BY_TWO_MEMBERS = r"""
#include <stdio.h>
#include <stdlib.h>
struct ex { char op; int v; struct ex *a, *b; };
static struct ex *make(char op, int v, struct ex *a, struct ex *b)
{
    struct ex *e = calloc(1, sizeof *e);
    e->op = op; e->v = v; e->a = a; e->b = b;
    return e;
}
static int value(struct ex *e)
{
    if (e->op == 'n') return e->v;
    return e->op == '+' ? value(e->a) + value(e->b) : value(e->a) * value(e->b);
}
static void drop(struct ex *e)
{
    if (!e) return;
    drop(e->a);
    drop(e->b);
    free(e);
}
static struct ex *square(struct ex *e) { return make('*', 0, e, e); }
int main(void)
{
    struct ex *sum = make('+', 0, make('n', 2, NULL, NULL), make('n', 3, NULL, NULL));
    struct ex *all = square(sum);
    printf("%d\n", value(all));
    drop(all);
    return 0;
}
"""

# Who puts None there takes it away, also where all of it is put.
TAKEN_FROM_A_MAP = r"""
use std::collections::BTreeMap;
struct Conn { id: u32, name: String }
struct Server { conns: BTreeMap<u32, Option<Conn>>, log: Vec<String> }
impl Server {
    fn open(&mut self, id: u32, name: &str) {
        self.conns.insert(id, Some(Conn { id, name: name.into() }));
    }
    fn close(&mut self, id: u32) {
        if let Some(conn) = self.conns.get_mut(&id) {
            conn.take(); // told
            self.log.push(format!("closed {}", id));
        }
    }
    fn send(&mut self, id: u32, text: &str) {
        let conn = self.conns[&id].as_ref().unwrap();
        self.log.push(format!("{}:{}: {}", conn.id, conn.name, text));
    }
}
fn main() {
    let mut s = Server { conns: BTreeMap::new(), log: vec![] };
    s.open(1, "ann"); s.open(2, "bob");
    s.send(1, "hi"); s.close(2); s.send(1, "still here"); s.send(2, "hello?");
    println!("{:?}", s.log);
}
"""

# A loop counts on behind an array: where it began is no cause.
COUNTED_ON_BEHIND = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct entry { uint32_t id; char *label; };
struct book { struct entry *e; uint8_t n; size_t cap; };
static void add(struct book *b, uint32_t id, const char *label)
{
    if (b->n >= b->cap) {
        b->cap = b->cap ? b->cap * 2 : 64;
        b->e = realloc(b->e, b->cap * sizeof *b->e);
    }
    b->e[b->n].id = id;
    b->e[b->n++].label = strdup(label);
}
static size_t longest(const struct book *b, size_t total)
{
    size_t most = 0;
    for (size_t at = 0; at < total; at++) {
        size_t n = strlen(b->e[at].label);
        if (n > most) most = n;
    }
    return most;
}
int main(void)
{
    struct book b = {0};
    char name[24];
    size_t total = 0;
    for (int at = 0; at < 300; at++, total++) {
        snprintf(name, sizeof name, "entry %d", at);
        add(&b, at, name);
    }
    printf("%zu\n", longest(&b, total));
    return 0;
}
"""

LEFT_TO_A_THREAD = """
#include <pthread.h>
struct job { const char *label; long seeds[6]; };
static pthread_barrier_t gate;
static volatile long sum;
static void *work(void *given) {
    struct job *job = given;
    pthread_barrier_wait(&gate);
    pthread_barrier_wait(&gate);
    sum += job->label[0];
    return NULL;
}
static pthread_t start(const char *label) {
    struct job job = {label, {41}};
    pthread_t thread;
    pthread_create(&thread, NULL, work, &job); /* told: left-frame */
    return thread;
}
static void busy(pthread_t thread) {
    volatile long box[64];
    for (int at = 0; at < 64; at++)
        box[at] = 3 + at;
    pthread_barrier_wait(&gate);
    pthread_join(thread, NULL);
}
int main(void) {
    pthread_barrier_init(&gate, NULL, 2);
    pthread_t thread = start("resize");
    pthread_barrier_wait(&gate);
    busy(thread);
}
"""

# The way out of a function ends a local that the way there had not begun.
ENDED_UNBEGUN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct name { char *text; int length; };
static void name_init(struct name *n, const char *text)
{
    n->text = strdup(text);
    n->length = (int)strlen(text);
}
static void name_end(struct name *n) { n->length = 0; if (n->text) free(n->text); }
static int noise(int n) { char pad[128]; memset(pad, 0x5a, sizeof pad); return pad[n]; }
static int define(const char *line)
{
    struct name value; // told
    struct name key;
    int bad = 1;
    name_init(&key, "key");
    const char *eq = strchr(line, '=');
    if (!eq) goto end;
    name_init(&value, eq + 1);
    bad = value.length == 0;
end:
    name_end(&value);
    name_end(&key);
    return bad;
}
int main(void)
{
    printf("%d\n", define("a=1"));
    printf("%d\n", noise(3));
    printf("%d\n", define("broken"));
    return 0;
}
"""

# Who fills a list step by step makes none; its local was never made one.
LIST_NEVER_BEGUN = r"""
#include <stdio.h>
#include <stdlib.h>
struct list { int *items; int n, cap; };
static void add(struct list *l, int v)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 4;
        l->items = realloc(l->items, l->cap * sizeof(int));
    }
    l->items[l->n++] = v;
}
static int evens(int n)
{
    struct list l = {0};
    for (int at = 0; at < n; at += 2) add(&l, at);
    free(l.items);
    return l.n;
}
static int odds(int n)
{
    struct list l; // told
    for (int at = 1; at < n; at += 2) add(&l, at);
    free(l.items);
    return l.n;
}
int main(void)
{
    printf("%d\n", evens(9));
    return odds(9);
}
"""
LIST_NEVER_BEGUN_INLINED = LIST_NEVER_BEGUN.replace(" // told", "")

# The same code releases one block for two owners: who copied the one with its pointer made it so.
SHARED_BY_A_COPY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct style { char *font; int size; };
static struct style styles[8];
static int count;
static int derive(int base, int size)
{
    memcpy(&styles[count], &styles[base], sizeof styles[0]); // told: shared
    styles[count].size = size;
    return count++;
}
static void drop(int at)
{
    free(styles[at].font);
    memmove(&styles[at], &styles[at + 1], (count - at - 1) * sizeof styles[0]);
    count--;
}
int main(void)
{
    styles[count++] = (struct style){ strdup("the name of a font, with its fallback"), 11 };
    styles[count++] = (struct style){ strdup("the name of another"), 10 };
    derive(0, 18);
    drop(0);
    printf("%d\n", count);
    while (count) drop(count - 1);
    return 0;
}
"""

# Without a constructor that copies (C++, [class.copy.ctor]) each copy's destructor releases it.
SHARED_IN_A_VECTOR = r"""
#include <cstdio>
#include <cstring>
#include <vector>
struct Image {
    int w;
    unsigned char *pixels;
    explicit Image(int w) : w(w), pixels(new unsigned char[w * 20]) { memset(pixels, 7, w * 20); }
    ~Image() { delete[] pixels; }
};
int main()
{
    std::vector<Image> images;
    for (int i = 1; i < 4; i++) {
        Image made(10 * i);
        images.push_back(made); // told: shared
    }
    std::printf("%zu\n", images.size());
}
"""

# What is taken twice was copied twice, of what stayed: whose it is, the copy does not tell.
TAKEN_BY_COPIES = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct job { char *command; int prio; };
static struct job queue[8];
static int head, tail;
static void submit(const char *c, int p) { queue[tail++] = (struct job){ strdup(c), p }; }
static int take(struct job *out)
{
    if (head == tail) return 0;
    *out = queue[head];
    if (out->prio > 0) head++;
    return 1;
}
int main(void)
{
    struct job a[4];
    int n = 0;
    submit("the first job of the day, a long one", 2);
    submit("the second job of the day, a long one", 0);
    while (n < 3 && take(&a[n])) n++;
    for (int i = 0; i < n; i++) free(a[i].command);
    printf("%d\n", n);
    return 0;
}
"""

# Calls go around a ring of objects: the pointer that was set last closed it.
RING_OF_CALLS = r"""
#include <stdio.h>
#include <stdlib.h>
struct dir { struct dir *parent, *child, *sibling; int files; };
static struct dir *make(struct dir *parent, int files)
{
    struct dir *d = calloc(1, sizeof *d);
    d->files = files; d->parent = parent;
    if (parent) { d->sibling = parent->child; parent->child = d; }
    return d;
}
static void move(struct dir *d, struct dir *to)
{
    struct dir **at = &d->parent->child;
    while (*at != d) at = &(*at)->sibling;
    *at = d->sibling;
    d->sibling = to->child;
    to->child = d; // told: written
    d->parent = to;
}
static int total(const struct dir *d)
{
    int n = d->files;
    for (const struct dir *c = d->child; c; c = c->sibling) n += total(c);
    return n;
}
int main(void)
{
    struct dir *root = make(NULL, 0), *ann = make(make(root, 2), 5), *src = make(ann, 9);
    make(src, 4);
    printf("%d\n", total(root));
    move(ann, src);
    printf("%d\n", total(ann));
    return 0;
}
"""

# One line links them all, as it is told: who follows them is to look for a ring.
RING_AS_TOLD = r"""
#include <stdio.h>
struct name { char key; struct name *alias; int value; };
static struct name names[4] = { {'a', 0, 1}, {'b', 0, 2}, {'c', 0, 3}, {'d', 0, 4} };
static void set_alias(char from, char to) { names[from - 'a'].alias = &names[to - 'a']; }
static int resolve(const struct name *n)
{
    return n->alias ? resolve(n->alias) + n->value : n->value;
}
int main(void)
{
    const char *lines[] = { "ab", "ca", "bc" };
    for (int i = 0; i < 3; i++) set_alias(lines[i][0], lines[i][1]);
    printf("%d\n", resolve(&names[3]));
    return resolve(&names[1]);
}
"""

# A node that was released is linked still, and its memory was linked below itself.
RING_OF_A_STALE_NODE = r"""
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *left, *right; int key; };
static struct node *make(int key)
{
    struct node *n = malloc(sizeof *n);
    *n = (struct node){ NULL, NULL, key };
    return n;
}
static struct node **place(struct node **at, int key)
{
    while (*at && (*at)->key != key) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    return at;
}
static void insert(struct node *t, struct node *n)
{
    for (struct node **side; ; t = *side) {
        side = n->key < t->key ? &t->left : &t->right;
        if (!*side) { *side = n; return; }
    }
}
static int depth(const struct node *t)
{
    if (!t) return 0;
    int l = depth(t->left), r = depth(t->right);
    return 1 + (l > r ? l : r);
}
int main(void)
{
    struct node *root = make(50);
    int keys[] = { 30, 70, 20, 40, 60, 80 };
    for (int i = 0; i < 6; i++) insert(root, make(keys[i]));
    printf("%d\n", depth(root));
    free(*place(&root, 30));
    insert(root, make(10));
    return depth(root);
}
"""

# Elements were taken for smaller than they are: the one behind the end is one of those asked for.
POINTERS_FOR_VALUES = r"""
#include <stdio.h>
#include <stdlib.h>
struct value { int tag; double num; void *ref; };
struct stack { struct value *v; size_t n, cap; };
static void reserve(struct stack *s, size_t want)
{
    if (want <= s->cap) return;
    size_t cap = s->cap ? 2 * s->cap : 8;
    s->v = realloc(s->v, cap * sizeof s->v); // told: allocated-too-small
    s->cap = cap;
}
static void push(struct stack *s, double d)
{
    reserve(s, s->n + 1);
    s->v[s->n++] = (struct value){1, d, s};
}
int main(void)
{
    struct stack a = {0}, b = {0};
    for (int i = 0; i < 5; i++) { push(&a, i); push(&b, 2 * i); }
    for (int i = 0; i < 20; i++) { push(&a, i); push(&b, i + 1); }
    printf("%zu\n", a.n + b.n);
    free(a.v);
    free(b.v);
    return 0;
}
"""

# The same, of a table that is not filled one after the other: far behind the end.
SLOTS_OF_A_POINTERS_SIZE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct slot { char key[24]; long value; };
static struct slot *slots;
static unsigned capacity;
static void reserve(unsigned n)
{
    capacity = n;
    slots = calloc(n, sizeof slots); // told: allocated-too-small
}
static void put(const char *key, long value)
{
    unsigned h = 0;
    for (const char *p = key; *p; p++) h = h * 31 + *p;
    struct slot *s = &slots[h % capacity];
    strcpy(s->key, key);
    s->value = value;
}
int main(void)
{
    const char *keys[] = { "alpha", "beta", "gamma", "delta", "epsilon", "zeta" };
    reserve(16);
    void *next = malloc(100);
    for (int i = 0; i < 6; i++) put(keys[i], i);
    printf("%u\n", capacity);
    free(next);
    free(slots);
    return 0;
}
"""

# Who adds asks for room by what the object says, which forgot its own members.
ROOM_WITHOUT_THE_FRONT = r"""
#include <stdio.h>
#include <stdlib.h>
struct array { long n, cap; int v[]; };
static struct array *make(int cap)
{
    struct array *a = malloc(cap * sizeof(int));
    a->n = 0; a->cap = cap;
    return a;
}
static void push(struct array *a, int x) { if (a->n < a->cap) a->v[a->n++] = x; }
int main(void)
{
    struct array *a = make(30), *b = make(30);
    for (int i = 0; i < 30; i++) push(a, i);
    for (int i = 0; i < 3; i++) push(b, i);
    free(b);
    free(a);
    return 0;
}
"""

# A lookup that makes what it does not find (C++, [map.access]) gives null for a pointer.
MADE_BY_A_LOOKUP = r"""
#include <cstdio>
#include <unordered_map>
struct Session { int hits = 0; };
static std::unordered_map<int, Session *> sessions;
static void touch(int id)
{
    sessions[id]->hits++; // told: never-set
}
int main()
{
    sessions[4] = new Session;
    sessions[7] = new Session;
    touch(4);
    touch(7);
    touch(9);
    std::printf("%zu\n", sessions.size());
}
"""

# Null was put there on purpose, and the lookup found it.
FOUND_AS_NULL = r"""
#include <cstdio>
#include <map>
#include <string>
struct Handler { int x = 1; int run(int a) { return a + x; } };
static std::map<std::string, Handler *> by_name;
static Handler *lookup(const char *name)
{
    Handler *found = by_name[name];
    return found;
}
int main(int argc, char **)
{
    by_name["add"] = new Handler;
    by_name["sub"] = argc > 5 ? new Handler : nullptr;
    std::printf("%d\n", lookup("add")->run(1));
    std::printf("%d\n", lookup("sub")->run(1));
}
"""

# With null a pointer was declared, and nobody else set it: the call whose answer nobody looks at,
# or who looks for no null, may be to blame.
NULL_AS_DECLARED = r"""
#include <stdio.h>
#include <string.h>
struct user { const char *name; int age; };
static struct user all[] = {{"ann", 3}, {"bob", 4}};
static int find(const char *name, struct user **out) {
    for (unsigned i = 0; i < 2; i++)
        if (!strcmp(all[i].name, name)) { *out = &all[i]; return 0; }
    return -1;
}
int main(int argc, char **argv) {
    const char *names[] = {"ann", "bob", "cid"};
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        struct user *u = NULL;
        find(names[i], &u);
        sum += u->age;
    }
    printf("%d\n", sum);
    return argc > 5 && argv != 0;
}
"""
ANSWER_NOT_LOOKED_AT = NULL_AS_DECLARED.replace("&u);", "&u); /* told: never-set */")
ANSWER_THE_SAME = NULL_AS_DECLARED.replace("return -1;", "return 0;")
NONE_AS_DECLARED = r"""
#include <stdio.h>
#include <string.h>
struct user { const char *name; int age; };
static struct user all[] = {{"ann", 3}, {"bob", 4}};
static struct user *find(const char *name) {
    struct user *u = NULL;
    for (unsigned i = 0; i < 2; i++)
        if (!strcmp(all[i].name, name))
            u = &all[i];
    return u;
}
int main(void) {
    const char *names[] = {"ann", "bob", "cid"};
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        struct user *u = find(names[i]);
        sum += u->age;
    }
    printf("%d\n", sum);
    return 0;
}
"""

# What a double is cut to that no int can be.
CUT_FROM_A_DOUBLE = r"""
#include <stdio.h>
#include <stdlib.h>
struct hist { long counts[16]; double low, width; };
static void begin(struct hist *h, double low, double high) {
    h->low = low; h->width = (high - low) / 16;
}
static int slot(const struct hist *h, double x) {
    return (int)((x - h->low) / h->width); /* told */
}
static void add(struct hist *h, double x) {
    int at = slot(h, x);
    if (at > 15) at = 15;
    h->counts[at]++;
}
int main(void) {
    struct hist *h = calloc(1, sizeof *h);
    begin(h, 0, 8);
    add(h, 3.0); add(h, 7.5);
    double none = 0;
    begin(h, 2, 2);
    add(h, 1.5 + none);
    printf("%ld\n", h->counts[0]);
    return 0;
}
"""

# A sum that a caller gave, of a pointer that leads where it should.
LED_ASTRAY_BY_ITS_CALLER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct re { int last; char text[32]; };
static size_t match(const char *text, const char *what) { return strspn(text, what); }
static void set(struct re *r, double last) { r->last = (int)last; /* told */ }
static size_t run(struct re *r, const char *text, int len) {
    return match(text + r->last, "abc");
}
int main(int argc, char **argv) {
    struct re *r = calloc(1, sizeof *r);
    char *text = strdup("abcabcxyz");
    set(r, 2);
    size_t n = run(r, text, 9);
    set(r, -1e300 * argc);
    n += run(r, text, 9);
    printf("%zu %s\n", n, argv[0]);
    return 0;
}
"""
LED_ASTRAY_OR_NOT = LED_ASTRAY_BY_ITS_CALLER.replace(
    "text + r->last", 'r->last < len ? text + r->last : ""'
)
LED_ASTRAY_BY_A_CHOICE = LED_ASTRAY_OR_NOT

# The bits of a hash that a mask without end lets by: it is not the hash that is wrong.
BITS_THAT_ALL_PASS = r"""
#include <stdio.h>
#include <stdlib.h>
struct map { unsigned cap; long *slots; };
static unsigned hash(const char *text)
{
    unsigned h = 2166136261u;
    while (*text) h = (h ^ (unsigned char)*text++) * 16777619u;
    return h;
}
static void begin(struct map *m, unsigned wanted)
{
    unsigned cap = 1;
    while (cap < wanted) cap <<= 1;
    if (wanted > 1u << 20) cap = 0;
    m->cap = cap;
    m->slots = calloc(cap + 1, sizeof *m->slots);
}
static long get(struct map *m, const char *key)
{
    unsigned mod = m->cap - 1;
    return m->slots[hash(key) & mod];
}
int main(int argc, char **argv)
{
    struct map m;
    begin(&m, 8);
    long sum = get(&m, "one") + get(&m, "two");
    begin(&m, argc > 4 ? 8 : 1u << 24);
    sum += get(&m, "three") + get(&m, "seventeen") + get(&m, "forty-two");
    printf("%ld %s\n", sum, argv[0]);
    return 0;
}
"""

RANGE_BEYOND_ITS_TEXT = r"""
struct Page {
    text: String,
    end: usize,
}
fn page(text: &str) -> Page {
    Page { text: text.to_string(), end: text.len() + 8 } // told
}
fn rows(page: &Page) -> usize {
    page.text.as_bytes()[..page.end].iter().filter(|one| **one == b'\n').count()
}
fn main() {
    let page = page("one\ntwo\nthree\n");
    println!("{}", rows(&page));
}
"""
STEPPED_BY_WHAT_WAS_GIVEN = """\
struct Reader<'a> { data: &'a [u8], at: usize }
impl<'a> Reader<'a> {
    fn word(&mut self) -> usize {
        let two = [self.data[self.at], self.data[self.at + 1]];
        self.at += 2;
        u16::from_le_bytes(two) as usize // of the wrong order
    }
    fn skip(&mut self, n: usize) { self.at += n; }
    fn byte(&mut self) -> u8 { let b = self.data[self.at]; self.at += 1; b }
}
fn sum(data: &[u8]) -> u32 {
    let mut r = Reader { data, at: 0 };
    let mut total = 0;
    while r.at < r.data.len() {
        let n = r.word();
        r.skip(n);
        total += r.byte() as u32;
    }
    total
}
fn main() {
    println!("{}", sum(&[0, 0, 7, 0, 2, 1, 1, 9]));
}
"""
TAKEN_OUT_BY_ITS_ID = """\
struct listener { struct listener *next; int id; int (*on)(int); };
static struct listener *all;
static int plus(int x) { return x + 1; }
static void subscribe(struct listener *l) { l->next = all; all = l; }
static void unsubscribe(struct listener *gone)
{
    for (struct listener **at = &all; *at; at = &(*at)->next)
        if ((*at)->id == gone->id) { // which another has as well
            *at = (*at)->next;
            return;
        }
}
static int publish(int x)
{
    for (struct listener *l = all; l; l = l->next) x = l->on(x);
    return x;
}
static struct listener first = {0, 7, plus}, logging = {0, 1, plus};
static int session(int x)
{
    struct listener here = {0, 1, plus};
    subscribe(&here);
    subscribe(&logging);
    x = publish(x);
    unsubscribe(&here);
    return x;
}
static int scratch(int x)
{
    volatile long a[40];
    for (int i = 0; i < 40; i++) a[i] = 0x5151 + x;
    return (int)a[3];
}
int main(void)
{
    subscribe(&first);
    return publish(scratch(session(3)));
}
"""
FILLED_IN_PART = """\
#include <string.h>
struct item { const char *name; int count; };
static int fill(struct item *to, int room)
{
    static const char *names[] = {"ash", "oak", "elm"};
    int n = 0;
    for (; n < 3 && n < room; n++) {
        to[n].name = names[n];
        to[n].count = n + 1;
    }
    return n;
}
static size_t report(struct item *items, int room)
{
    size_t total = fill(items, room);
    for (struct item *p = items; p < items + room; p++) // not as many as there are
        total += strlen(p->name) + p->count;
    return total;
}
static void dirty(void)
{
    volatile long a[64];
    for (int i = 0; i < 64; i++) a[i] = 0x11 * i;
}
static int run(void)
{
    struct item items[8];
    return (int)report(items, 8);
}
int main(void)
{
    dirty();
    return run();
}
"""
SET_FOR_ONE_KIND = """\
#include <stdlib.h>
#include <string.h>
enum kind { NONE, PLAIN, ASYNC };
struct request { enum kind kind; int bytes; void (*done)(struct request *); };
static int sent;
static void submit(struct request *r)
{
    sent += r->bytes;
    if (r->kind != NONE) // it is asked for the wrong kind
        r->done(r);
}
static void note(struct request *r) { sent -= r->bytes; }
static void dirty(void)
{
    volatile long a[64];
    for (int i = 0; i < 64; i++) a[i] = 0x11 * i;
}
static void later(int n)
{
    struct request r;
    r.kind = ASYNC;
    r.bytes = n;
    r.done = note;
    submit(&r);
}
static void now(int n)
{
    struct request r;
    r.kind = PLAIN;
    r.bytes = n;
    submit(&r);
}
int main(void)
{
    later(4);
    dirty();
    now(5);
    return sent;
}
"""
SET_FOR_ONE_KIND_ON_THE_HEAP = SET_FOR_ONE_KIND.replace(
    "    struct request r;\n    r.kind = PLAIN;\n    r.bytes = n;\n    submit(&r);",
    "    struct request *r = memset(malloc(sizeof *r), 0x55, sizeof *r);\n    free(r);\n"
    "    submit(request_new(PLAIN, n));",
).replace(
    "static void submit",
    """static struct request *request_new(enum kind kind, int bytes)
{
    struct request *r = malloc(sizeof *r);
    r->kind = kind;
    r->bytes = bytes;
    return r;
}
static void submit""",
)

# Without an operator= assignment makes a second owner (C++, [class.copy.assign]).
SHARED_BY_ASSIGNMENT = r"""
#include <cstdio>
#include <cstring>
class Text {
    char *s_;
public:
    explicit Text(const char *s) : s_(new char[strlen(s) + 1]) { strcpy(s_, s); }
    ~Text() { delete[] s_; }
    const char *c_str() const { return s_; }
};
struct Entry { Text title, body; };
int main()
{
    Entry *a = new Entry{Text("a title that is long enough"), Text("a body")};
    Entry *b = new Entry{Text("another title, long enough too"), Text("another body")};
    std::printf("%s\n", a->title.c_str());
    b->title = a->title; // told: shared
    delete a;
    delete b;
}
"""
SHARED_IN_REGISTERS = SHARED_BY_ASSIGNMENT.replace(" // told: shared", "")

# The last was put in the place of the removed: who goes by the count from before is to blame.
RELEASED_BY_AN_OLD_COUNT = r"""
#include <stdlib.h>
#include <string.h>
struct user { char *name; int id; };
struct list { struct user u[16]; int n; };
static void add(struct list *l, const char *name, int id)
{
    l->u[l->n].name = strdup(name);
    l->u[l->n++].id = id;
}
static void drop(struct user *u) { free(u->name); }
static void remove_at(struct list *l, int i)
{
    drop(&l->u[i]);
    l->u[i] = l->u[--l->n];
}
int main(void)
{
    struct list *l = calloc(1, sizeof *l);
    for (int i = 0; i < 4; i++) add(l, "somebody of a name that is really long", i);
    int all = l->n;
    remove_at(l, 1);
    for (int i = 0; i < all; i++) drop(&l->u[i]);
    free(l);
    return 0;
}
"""

# A part of a pointer was written over: that it leads to a released block now is chance.
LED_TO_A_RELEASED_BLOCK = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct series {
    unsigned colour;
    char label[20];
    double *points;
    size_t count, room;
};
static void add(struct series *s, double y)
{
    if (s->count == s->room) s->points = realloc(s->points, (s->room *= 2) * 16);
    s->points[2 * s->count++] = y;
}
static void name(struct series *s, const char *text)
{
    size_t n = strlen(text);
    if (n > sizeof s->label) n = sizeof s->label;
    memcpy(s->label, text, n);
    s->label[n] = '\0'; // told: written
}
int main(void)
{
    static const char *names[] = {"temperature", "humidity", "pressure at sea level"};
    struct series *all[3];
    for (int i = 0; i < 3; i++) {
        all[i] = calloc(1, sizeof *all[i]);
        all[i]->room = 8;
        all[i]->points = calloc(8, 16);
        for (int k = 0; k < 12; k++) add(all[i], k);
        name(all[i], names[i]);
    }
    printf("%zu\n", all[0]->count);
    for (int i = 0; i < 3; i++) {
        free(all[i]->points);
        free(all[i]);
    }
    return 0;
}
"""

# A loop that leaves elements out writes farther apart than they are large.
EVERY_THIRD = r"""
#include <stdio.h>
#include <stdlib.h>
static int *filled(int n)
{
    int *a = malloc(n * sizeof(int));
    for (int i = 0; i <= n; i += 3)
        a[i] = i + 7;
    return a;
}
int main(void)
{
    int *a = filled(30), *b = filled(30);
    printf("%d %d\n", a[3], b[6]);
    free(b);
    free(a);
    return 0;
}
"""

# One function gave two holders the same object, which each of them releases.
GIVEN_TO_TWO = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct packet { char *data; int size; };
struct holder { struct packet *packet; };
static struct holder in, out;
static void give(struct holder *h, struct packet *p) { h->packet = p; }
static void drop(struct holder *h)
{
    if (!h->packet) return;
    free(h->packet->data);
    free(h->packet);
    h->packet = NULL;
}
static struct packet *make(const char *text)
{
    struct packet *p = malloc(sizeof *p);
    p->data = strdup(text);
    p->size = strlen(text);
    return p;
}
int main(void)
{
    give(&in, make("one"));
    give(&out, in.packet);
    drop(&in);
    char *log = strdup("a line of text");
    printf("%s %d\n", log, out.packet->size);
    drop(&out);
    free(log);
    return 0;
}
"""

# One way out of a function leaves its context on the chain, from which the others take it.
LEFT_ON_ITS_CHAIN = r"""
#include <string.h>
struct context { struct context *outer; const char *what; };
static struct context *current;
static void enter(struct context *c, const char *what)
{
    c->what = what;
    c->outer = current;
    current = c;
}
static void leave(void) { current = current->outer; }
__attribute__((noinline)) static int parse(const char *text)
{
    struct context c;
    enter(&c, "parse");
    if (!*text) return -1;
    int n = strlen(text);
    leave();
    return n;
}
__attribute__((noinline)) static void scribble(void)
{
    volatile long a[40];
    for (int i = 0; i < 40; i++) a[i] = 0x7777;
}
__attribute__((noinline)) static int trace(void)
{
    int n = 0;
    for (struct context *c = current; c; c = c->outer) n += strlen(c->what);
    return n;
}
int main(void)
{
    struct context c;
    enter(&c, "main");
    int n = parse("abc") + parse("") + parse("de");
    scribble();
    return n + trace();
}
"""

# Where names lie is what the file says, and nobody asks whether it has as many.
OFFSET_OF_A_FILE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct head { unsigned name, flags; char rest[56]; };
struct file { struct head *head; char *names; };
static void load(struct file *one, const char *path) {
    FILE *from = fopen(path, "rb");
    one->head = malloc(sizeof *one->head);
    one->names = malloc(64);
    memset(one->names, 'a', 63);
    one->names[63] = 0;
    if (!from || fread(one->head, sizeof *one->head, 1, from) != 1)
        exit(1);
    fclose(from);
}
static const char *name_of(const struct file *one) {
    const char *name;
    name = one->names + one->head->name; /* told: computed */
    return name;
}
int main(void) {
    struct file one;
    load(&one, "/proc/self/exe");
    const char *name = name_of(&one);
    printf("%zu\n", strlen(name));
    return 0;
}
"""

# The same of an array, whose number is read from the file as it lies in memory.
NUMBER_OF_A_FILE = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
struct head { unsigned first; unsigned short count; };
long sizes[32] = {1};
static long total(const struct head *head) {
    return sizes[head->first] + 1; /* told: computed */
}
int main(void) {
    int from = open("/proc/self/exe", O_RDONLY);
    struct head *head = mmap(0, 4096, PROT_READ, MAP_PRIVATE, from, 0);
    if (head == MAP_FAILED)
        exit(1);
    printf("%ld\n", total(head));
    return 0;
}
"""

# A function that came back found nothing to say against it.
OFFSET_LOOKED_AT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct head { unsigned name, flags; char rest[56]; };
struct file { struct head head; char *names; unsigned size; };
static void load(struct file *one, const char *path) {
    FILE *from = fopen(path, "rb");
    one->names = malloc(64);
    memset(one->names, 'a', 63);
    one->names[63] = 0;
    one->size = 0xf0000000;
    if (!from || fread(&one->head, sizeof one->head, 1, from) != 1)
        exit(1);
    fclose(from);
}
static int holds(const struct file *one, const char *at) {
    return at >= one->names && at < one->names + one->size;
}
static const char *name_of(const struct file *one) {
    const char *name = one->names + one->head.name;
    if (!holds(one, name))
        return "";
    return name;
}
int main(void) {
    struct file one;
    load(&one, "/proc/self/exe");
    const char *name = name_of(&one);
    printf("%zu\n", strlen(name));
    return 0;
}
"""

# The array is too small, and not the number too large.
ROWS_CUT_SHORT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct head { unsigned size, at; char rest[56]; };
struct file { struct head head; char (*rows)[64]; };
static void load(struct file *one, const char *path) {
    FILE *from = fopen(path, "rb");
    if (!from || fread(&one->head, sizeof one->head, 1, from) != 1)
        exit(1);
    fclose(from);
    unsigned short size = one->head.size;
    one->rows = calloc(1, size);
}
static char *row_of(const struct file *one) {
    char *row;
    row = one->rows[one->head.at];
    return row;
}
int main(void) {
    struct file one;
    load(&one, "/proc/self/exe");
    char *row = row_of(&one);
    printf("%zu\n", strlen(row));
    return 0;
}
"""

# A virtual destructor is called by the table of the object itself, by no entry of a queue.
DELETED_AS_A_WIDGET = r"""
#include <cstdio>
#include <string>
#include <vector>
struct Widget {
    virtual ~Widget() = default;
    virtual int draw() const = 0;
};
struct Button : Widget {
    std::string label;
    Button(const char *text) : label(text) {}
    int draw() const override { return (int)label.size(); }
};
class Panel {
public:
    Panel(std::vector<Widget *> &shown, const char *text) : button_(new Button(text))
    {
        shown.push_back(button_);
    }
    ~Panel() { close(); }
    void close()
    {
        delete button_; // told: freed
        button_ = nullptr;
    }
private:
    Widget *button_;
};
static int draw(const std::vector<Widget *> &shown)
{
    int sum = 0;
    for (auto *w : shown)
        sum += w->draw();
    return sum;
}
int main()
{
    std::vector<Widget *> shown;
    Panel left(shown, "left"), right(shown, "right");
    std::printf("%d\n", draw(shown));
    right.close();
    std::vector<long> other(5, -1);
    std::printf("%d\n", draw(shown));
    return (int)other[0];
}
"""

# An index may lead out of an array of structures: what stands there is no member of one.
OTHERS_THAN_ITS_ITEMS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { long id; char *label; long price, left; };
struct shop { struct item *items; int count; };
static size_t show(const struct shop *s, int at)
{
    const struct item *it = &s->items[at];
    return strlen(it->label) + it->price;
}
static struct shop *open_shop(int n)
{
    struct shop *s = malloc(sizeof *s);
    s->items = calloc(n, sizeof *s->items);
    s->count = n;
    for (int i = 0; i < n; i++)
        s->items[i].label = strdup("apple");
    return s;
}
static size_t favourite(const struct shop *s, int day)
{
    return show(s, day ? 2 : 9); /* told */
}
int main(void)
{
    struct shop *s = open_shop(3);
    printf("%zu\n", favourite(s, 1));
    printf("%zu\n", favourite(s, 0));
    return 0;
}
"""

# Who said how many elements an array has is not to blame where that is taken for an index.
TAKEN_FOR_AN_INDEX = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { long id; char *label; };
struct shop { struct item **items; int count; };
static int find(const struct shop *s, long id)
{
    for (int i = 0; i < s->count; i++)
        if (s->items[i]->id == id)
            return i;
    return s->count;
}
static size_t show(const struct shop *s, int at)
{
    const struct item *it = s->items[at];
    return strlen(it->label) + it->id;
}
static struct shop *open_shop(int n)
{
    struct shop *s = malloc(sizeof *s);
    s->items = malloc(n * sizeof *s->items);
    s->count = n;
    for (int i = 0; i < n; i++) {
        s->items[i] = malloc(sizeof(struct item));
        s->items[i]->id = 10 + i;
        s->items[i]->label = strdup("apple");
    }
    return s;
}
int main(void)
{
    struct shop *s = open_shop(5);
    printf("%zu\n", show(s, find(s, 11)));
    printf("%zu\n", show(s, find(s, 17)));
    return 0;
}
"""

# Nor is where a loop began to count, nor the instruction that widens its number.
COUNTED_TO_ITS_END = TAKEN_FOR_AN_INDEX

# The bits of a rest have no byte where their number was divided without it.
ROUNDED_DOWN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct bitmap { unsigned char *bits; size_t count; };
static struct bitmap *bitmap_new(size_t count)
{
    struct bitmap *b = malloc(sizeof *b);
    b->count = count;
    b->bits = calloc(count / 8, 1); /* told: allocated-too-small */
    return b;
}
static void bitmap_set(struct bitmap *b, size_t at)
{
    if (at >= b->count)
        return;
    b->bits[at / 8] |= 1 << (at % 8);
}
int main(void)
{
    struct bitmap *seen = bitmap_new(197);
    char *name = strdup("visited nodes");
    for (size_t i = 4; i < 197; i += 7)
        bitmap_set(seen, i);
    printf("%s\n", name);
    free(name);
    free(seen->bits);
    return 0;
}
"""

# An assignment that the compiler wrote is no line of the program, inlined or not.
ASSIGNED_BY_ITS_CLASS = r"""
#include <cstdio>
#include <memory>
#include <string>
#include <vector>
struct Token {
    int kind;
    std::unique_ptr<std::string> text;
};
struct Lexer {
    std::vector<const char *> words;
    size_t at = 0;
    Token next()
    {
        if (at == words.size())
            return {0, nullptr};
        return {1, std::make_unique<std::string>(words[at++])};
    }
};
struct Parser {
    Lexer lexer;
    Token now;
    size_t pair()
    {
        size_t sum = now.text->size();
        now = lexer.next(); // told: cleared
        sum += now.text->size();
        now = lexer.next();
        return sum;
    }
};
int main()
{
    Parser parser{{{"one", "two", "three"}}, {}};
    parser.now = parser.lexer.next();
    std::printf("%zu\n", parser.pair());
    std::printf("%zu\n", parser.pair());
    return 0;
}
"""

# A compiler makes the places of a loop's elements one from the other, from a number of its own.
BEGUN_AT_NO_NUMBER_OF_ITS_OWN = r"""
#include <stdio.h>
#include <stdlib.h>
struct entry { unsigned key; char *value; };
struct table { struct entry *entries; unsigned cap, used; };
static struct table *create(unsigned cap)
{
    struct table *t = malloc(sizeof *t);
    t->cap = cap;
    t->used = 0;
    t->entries = calloc(cap, sizeof *t->entries);
    return t;
}
static void grow(struct table *t)
{
    t->cap *= 4096;
    if (t->used < 4) return;
    free(t->entries);
    t->entries = calloc(t->cap, sizeof *t->entries);
}
static struct entry *place(struct table *t, unsigned key)
{
    return &t->entries[key * 2654435761u % t->cap];
}
static void put(struct table *t, unsigned key, char *value)
{
    struct entry *e = place(t, key);
    e->key = key;
    e->value = value;
    t->used++;
}
int main(void)
{
    struct table *t = create(16);
    put(t, 1, "a");
    put(t, 2, "b");
    grow(t);
    for (unsigned k = 3; k < 9; k++) put(t, k, "c");
    puts(place(t, 2)->value);
}
"""

# Of a pointer that only registers held, a copy of its object released the memory of another.
COPIED_IN_REGISTERS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct config { char *host, *path; int port; };
static struct config *config_new(const char *host, const char *path)
{
    struct config *c = malloc(sizeof *c);
    c->host = strdup(host);
    c->path = strdup(path);
    c->port = 80;
    return c;
}
static struct config *config_copy(const struct config *from)
{
    struct config *c = malloc(sizeof *c);
    *c = *from;
    c->host = strdup(from->host);
    return c;
}
static void config_free(struct config *c)
{
    free(c->host);
    free(c->path);
    free(c);
}
int main(void)
{
    struct config *old = config_new("example.org", "/index"), *c = config_copy(old);
    config_free(old);
    char *other = strdup("xxxxxx");
    printf("%s%s:%d %s\n", c->host, c->path, c->port, other);
    config_free(c);
    free(other);
}
"""

# What takes room off a stack gives nothing back, and who took an object off reads it still.
TAKEN_OFF_AND_READ = r"""
#include <stdio.h>
#include <string.h>
struct type { int base; struct type *from; };
struct value { struct type *type; long held; };
struct node { struct node *next; struct value *value; };
static char memory[4096];
static char *top = memory;
static void *get(long size) {
    void *given = top;
    char *end = top + size;
    if (end > memory + sizeof memory)
        return NULL;
    top = end;
    memset(given, 0, size);
    return given;
}
static void give_back(long size) { top -= size; }
static struct value *push(struct node **stack, struct type *type, long held) {
    struct value *made = get(sizeof *made);
    struct node *node = get(sizeof *node);
    made->type = type;
    made->held = held;
    node->value = made;
    node->next = *stack;
    *stack = node;
    return made;
}
static void follow(struct node **stack) {
    struct value *was = (*stack)->value;
    *stack = (*stack)->next;
    give_back(sizeof(struct node));
    give_back(sizeof(struct value));
    long held = was->held;
    push(stack, was->type->from, held);
}
int main(void) {
    static struct type number = {1, NULL}, pointer = {2, &number};
    struct node *stack = NULL;
    get(24);
    push(&stack, &pointer, 4);
    follow(&stack);
    printf("%ld\n", stack->value->held);
    follow(&stack);
    follow(&stack);
    printf("%ld\n", stack->value->held);
    return 0;
}
"""

# What the compiler worked out is no line's doing: not the constant that it put for a sum, nor what
# is taken out of a vector's sum.
FOLDED_BELOW_ZERO = SHORTENED_BELOW_ZERO.replace("// told: computed", "")
COUNTED_IN_A_VECTOR = COUNTED_NOTHING

# An object that is made in each round of a loop begins without what the one before it had.
MADE_IN_EACH_ROUND = r"""
#include <cstdio>
#include <string>
#include <vector>
struct Body {
    int used = 0;
    char bytes[60];
};
class Parser {
public:
    ~Parser() { delete body_; }
    void begin(bool large)
    {
        if (large)
            body_ = new Body;
    }
    int add(char c)
    {
        body_->bytes[body_->used++] = c;
        return body_->used;
    }
private:
    std::string name_;
    Body *body_ = nullptr;
};
int main(int count, char **)
{
    for (const char *text : {"the first", "the second", "third"}) {
        Parser parser;
        parser.begin(text[0] == 't' && text[1] == 'h' && text[2] == 'e');
        for (; *text != 0; text++)
            count = parser.add(*text);
        std::printf("%d\n", count);
    }
    return 0;
}
"""
MADE_IN_EACH_ROUND_BY_ITSELF = MADE_IN_EACH_ROUND.replace(
    "    ~Parser()", "    Parser() : body_(nullptr) {}\n    ~Parser()"
)
MADE_IN_EACH_ROUND_INLINE = MADE_IN_EACH_ROUND

NULL_FOR_A_LIBRARY = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char path[200];
static void config(const char *name)
{
    char *home = getenv(name);
    if (home == NULL) /* told: unchecked */
        fprintf(stderr, "no %s\\n", name);
    strcpy(path, home);
    strcat(path, "/rc");
}
int main(void)
{
    config("NO_SUCH_HOME");
    return puts(path);
}
"""
USERS = """
#include <stdio.h>
struct user { int id; char *name; struct user *next; };
static struct user first = {1, "a", NULL};
static struct user *find(int id)
{
    for (struct user *one = &first; one; one = one->next)
        if (one->id == id)
            return one;
    return NULL;
}
@show@
int main(void)
{
    return show(find(1)) + show(find(7));
}
"""
NULL_HANDED_ON = USERS.replace("@show@", """
static int length(const struct user *one)
{
    int n = 0;
    while (one->name[n])
        n++;
    return n;
}
static int show(const struct user *one)
{
    if (one == NULL) /* told: unchecked */
        puts("nobody");
    return length(one);
}
""")  # fmt: skip
NULL_HANDED_TO_WHO_ASKS = USERS.replace("@show@", """
static int length(const struct user *one, int all)
{
    if (all && !one)
        return 0;
    return one->id;
}
static int show(const struct user *one)
{
    if (one == NULL)
        puts("nobody");
    return length(one, 0);
}
""")  # fmt: skip
ASKED_TOO_LATE = USERS.replace("@show@", """
static int show(const struct user *one)
{
    int id = one->id; /* told: unchecked */
    if (one == NULL)
        return -1;
    return printf("%d %s\\n", id, one->name);
}
""")  # fmt: skip
ASSERTED_TOO_LATE = USERS.replace("@show@", """
#include <assert.h>
static int show(const struct user *one)
{
    int id = one->id;
    assert(one != NULL);
    return id + one->name[0];
}
""")  # fmt: skip

CALLS = """
#include <stdio.h>
struct text { const char *at; };
static int skip(struct text *t) { return *t->at == ' ' ? t->at++, 1 : 0; }
static int length(struct text *t, int deep)
{
    volatile char room[8192];
    room[0] = *t->at;
    @ends@
    return 1 + length(t, deep + @more@); @told@
}
int main(void)
{
    struct text t = {"text"};
    return printf("%d\\n", length(&t, skip(&t)));
}
"""
CALLS_WITHOUT_END = CALLS.replace("@ends@", "").replace("@more@", "1").replace(
    "@told@", "/* told: recursed */")  # fmt: skip
CALLS_WITH_THE_SAME = CALLS.replace("@more@", "0").replace(
    "@ends@", "if (room[0] == 0 || deep > 100) return 0;").replace(
    "@told@", "/* told: recursed */")  # fmt: skip
CALLS_THAT_MAY_END = CALLS.replace("@more@", "0").replace("@told@", "").replace(
    "@ends@", "if (room[0] == 0) return 0; skip(t);")  # fmt: skip
CALLS_BELOW_THEIR_END = CALLS.replace("@more@", "-1").replace("@told@", "").replace(
    "@ends@", "if (deep == 1) return 0;")  # fmt: skip
CALLS_PAST_THEIR_EXIT = CALLS.replace("@more@", "2").replace("@told@", "").replace(
    "static int l", "void exit(int);\nstatic void end(int deep) { exit(deep); }\nstatic int l"
).replace("@ends@", "if (deep == 7) end(deep);")  # fmt: skip

# A function that counts holders may have been inlined, and who took a hold have kept the pointer
# that was used: then any of the releases may be the one too many.
PUT_BY_A_BORROWER = r"""
#include <stdlib.h>
struct text { int refs; long *words; };
struct line { struct text *text; struct line *next; };
static struct line *all;
static inline struct text *get(struct text *t) { t->refs++; return t; }
static inline void put(struct text *t) { if (--t->refs == 0) { free(t->words); free(t); } }
__attribute__((noinline)) static struct text *text(long size)
{
    struct text *made = malloc(sizeof *made);
    made->refs = 1;
    made->words = calloc(size, 8);
    return made;
}
__attribute__((noinline)) static void show(struct text *t)
{
    struct line *made = malloc(sizeof *made);
    made->text = get(t);
    made->next = all;
    all = made;
}
__attribute__((noinline)) static int parse(struct text *t, int bad)
{
    if (bad)
        put(t);
    return bad;
}
int main(int count, char **words)
{
    struct text *one = text(9);
    show(one);
    count = parse(one, count);
    put(one);
    return (int)*all->text->words + count + (words == NULL);
}
"""
PUT_INLINE_BY_A_BORROWER = PUT_BY_A_BORROWER

# An atomic count that a library's function counted down was not set.
COUNTED_BY_A_LIBRARY = r"""
#include <atomic>
#include <vector>
struct Node {
    std::atomic<int> refs{1};
    std::vector<long> ids;
    Node() : ids(9) {}
    void unref() { if (refs.fetch_sub(1) == 1) delete this; }
};
static void check(Node *node) { if (node->ids[3] == 0) node->unref(); /* told: released-early */ }
static Node *kept(Node *node) { node->refs.fetch_add(1); return node; }
int main()
{
    Node *node = new Node, *held = kept(node);
    check(node);
    node->unref();
    return static_cast<int>(held->ids[4]);
}
"""

# Who releases what a place holds may give back that place's own hold: who used it may have ended
# his.
GIVEN_BACK_FROM_A_PLACE = r"""
#include <stdlib.h>
struct text { int refs; long *words; };
struct line { long id; struct text *text; };
static struct line last;
static void put(struct text *t) { if (--t->refs == 0) { free(t->words); free(t); } }
static struct text *text(long size)
{
    struct text *made = malloc(sizeof *made);
    made->refs = 1;
    made->words = calloc(size, 8);
    return made;
}
static void show(struct line *l, struct text *t) { t->refs++; l->text = t; }
static void hide(struct line *l) { put(l->text); l->text = NULL; }
int main(int count, char **words)
{
    struct text *one = text(9);
    show(&last, one);
    hide(&last);
    put(one);
    return (int)*one->words + count + (words == NULL);
}
"""

BACK_AND_FORTH = """
#include <stdlib.h>
static int seen;
static void note(const int *at) { seen += at[0]; }
static long far(int count)
{
    return count - 5000000000; /* told */
}
static int find(const int *v, int count)
{
    register long at = 0, kept = 0;
    if (count > 0)
        at = far(count);
    for (int n = 0; n < 3; n++) {
        kept = at;
        note(v);
        at = kept;
    }
    return v[at];
}
int main(int count, char **words)
{
    int *v = calloc(64, sizeof *v);
    v[9] = count;
    return find(v, count) + (words == NULL);
}
"""

MODE = """
#include <stdlib.h>
#include <string.h>
struct mode { int kind; unsigned char *palette; size_t used; };
static void begin(struct mode *m) { m->kind = 0; m->palette = NULL; m->used = 0; }
static int header(struct mode *m, const char *text) { m->kind = text[0]; return 0; }
static int palette(struct mode *m, const char *text)
{
    if (text[1] != 'p')
        return 0;
    m->palette = malloc(16);
    memset(m->palette, 7, 16);
    m->used = 16;
    return 0;
}
static int pixel(const struct mode *m, int n) { return m->kind == '3' ? m->palette[n & 15] : n; }
static int decode(const char *text)
{
    struct mode m;
    begin(&m);
    header(&m, text);
    palette(&m, text);
    return pixel(&m, text[2]);
}
int main(void)
{
    return decode("1xa") + decode("3pb") + decode("3xc");
}
"""
BEGUN_IN_A_REGISTER = MODE
BEGUN_IN_FRONT = MODE

# Who calls through a pointer says what it may give: null stands for no value.
CALLED_BACK_WITH_NULL = """
#include <stdio.h>
#include <string.h>
typedef int (*handler)(void *user, const char *name, const char *value);
static int parse(const char *text, handler handle, void *user)
{
    char line[40];
    int done = 0;
    strcpy(line, text);
    for (char *name = strtok(line, ";"); name; name = strtok(NULL, ";")) {
        char *eq = strchr(name, '=');
        if (eq) {
            *eq = 0;
            done += handle(user, name, eq + 1);
        } else
            done += handle(user, name, NULL);
    }
    return done;
}
static int size(void *user, const char *name, const char *value)
{
    *(size_t *)user += (value[0] != '-') + strlen(name);
    return 1;
}
int main(void)
{
    size_t sum = 0;
    return parse("a=1;b=2;c", size, &sum) + (int)sum;
}
"""

# What a function that was inlined was given by those who called it is in no frame: which of its
# calls was wrong is not known, nor what one gave back to who called it.
ENDED_BY_TWO_INLINE = ENDED_BY_TWO.replace("// told: freed", "")
RELEASED_INLINE_BY_ITS_OWNERS = SHARED_AND_RELEASED.replace("// told: shared", "")
HANDED_BACK_INLINE = HANDED_BACK
GIVEN_TO_TWO_INLINE = GIVEN_TO_TWO

# A pointer that came to a place after the release, with the object around it, another place held.
SHARED_AND_MOVED_UP = SHARED_BY_A_COPY.replace("// told: shared", "")

# So where the function that released it fails itself in a second call.
ENDED_AS_REMOVED_INLINE = r"""
#include <stdlib.h>
#include <string.h>
struct item { struct item *next; char *name; long at; };
static struct item *head;
static void item_free(struct item *i)
{
    free(i->name);
    free(i);
}
static void add(long at)
{
    struct item *made = malloc(sizeof *made);
    *made = (struct item){head, strdup("name"), at};
    head = made;
}
static void take_out(struct item *i)
{
    struct item **place = &head;
    while (*place != i)
        place = &(*place)->next;
    *place = i->next;
    item_free(i);
}
static void expire(long now)
{
    for (struct item *i = head, *next; i; i = next) {
        next = i->next;
        if (i->at < now) {
            take_out(i);
            item_free(i);
        }
    }
}
int main(void)
{
    add(5);
    add(1);
    expire(3);
    return head == NULL;
}
"""
CALLED_BEHIND_ITS_END = r"""
#include <cstdio>
#include <functional>
#include <string>
#include <vector>
struct Listener { int id; std::function<void(int)> call; };
class Bus {
    std::vector<Listener *> all_;
public:
    Listener *on(int id, std::function<void(int)> f)
    {
        all_.push_back(new Listener{id, std::move(f)});
        return all_.back();
    }
    void off(int id)
    {
        for (auto it = all_.begin(); it != all_.end(); ++it)
            if ((*it)->id == id) {
                delete *it;   // told
                all_.erase(it);
                return;
            }
    }
};
struct Panel {
    Listener *mine = nullptr;
    int seen = 0;
    explicit Panel(Bus &bus) { mine = bus.on(1, [this](int v) { seen += v; }); }
    void again() { mine->call(7); }
};
int main()
{
    Bus bus;
    Panel panel(bus);
    panel.again();
    bus.off(1);
    std::vector<std::string> lines;
    for (int i = 0; i < 4; i++)
        lines.push_back(std::string(40, 'A' + i));
    panel.again();
    return panel.seen + (int)lines.size();
}
"""
RESET_BY_ITS_OWNER = r"""
#include <cstdio>
#include <initializer_list>
#include <memory>
struct Codec {
    virtual ~Codec() = default;
    virtual int decode(int v) { return v + 1; }
};
class Stream {
    std::unique_ptr<Codec> codec_ = std::make_unique<Codec>();
    int errors_ = 0, total_ = 0;
public:
    bool feed(int v)
    {
        if (v < 0) {
            if (++errors_ > 1)
                fail();
            return false;
        }
        total_ += codec_->decode(v);
        return true;
    }
    void fail() { codec_.reset(); }   // told: cleared
};
int main()
{
    Stream stream;
    int taken = 0;
    for (int v : {1, -1, 5, -1, 12, 4})
        taken += stream.feed(v);
    std::printf("%d\n", taken);
}
"""
RESET_IN_THE_SAME_CALL = RESET_BY_ITS_OWNER.replace("            return false;\n", "").replace(
    "   // told: cleared", ""
)
COUNT_BEHIND_ITS_ARRAY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct words { char *items[8]; int count; char *text; };
static struct words *split(const char *line)
{
    struct words *w = calloc(1, sizeof *w);
    w->text = strdup(line);
    for (char *p = strtok(w->text, " "); p; p = strtok(NULL, " "))
        w->items[w->count++] = p;   // told: written
    return w;
}
int main(void)
{
    int length = 0;
    const char *lines[] = {"let a 1", "print a b c d e f g h i j"};
    for (int i = 0; i < 2; i++) {
        struct words *w = split(lines[i]);
        for (int k = 0; k < w->count; k++)
            length += (int)strlen(w->items[k]);
    }
    printf("%d\n", length);
    return 0;
}
"""
NARROWED_BEHIND_A_CALL = r"""
#include <stdio.h>
#include <stdlib.h>
struct table { int slots; long *values; };
static int pick(const struct table *t, const char *number)
{
    signed char n = (signed char)atoi(number);   // told: truncated
    return t->slots / 2 + n * 400;
}
int main(void)
{
    struct table t = {200, calloc(200, sizeof(long))};
    const char *numbers[] = {"0", "200", "1"};
    long sum = 0;
    for (int i = 0; i < 3; i++) {
        int at = pick(&t, numbers[i]);
        sum += t.values[at * 40];
    }
    printf("%ld\n", sum);
    return 0;
}
"""
GIVEN_TO_WHAT_THREW = r"""
#include <cstdio>
#include <string>
#include <vector>
struct Node { std::string name; Node *parent; };
class Scene {
    std::vector<Node> nodes_;
public:
    Node *add(const std::string &name, Node *parent)
    {
        nodes_.push_back(Node{name, parent});   // told: freed
        return &nodes_.back();
    }
    std::string path(Node *n)
    {
        std::string out;
        for (; n; n = n->parent)
            out = "/" + n->name + out;
        return out;
    }
};
int main()
{
    Scene scene;
    Node *leaf = nullptr;
    for (const char *name : std::vector<const char *>{"root", "body", "arm", "hand", "finger"})
        leaf = scene.add(name, leaf);
    std::vector<std::string> labels;
    for (int i = 0; i < 5; i++)
        labels.push_back(std::string(60, 'x'));
    std::printf("%s\n", scene.path(leaf).c_str());
    return 0;
}
"""
GIVEN_A_BAD_LENGTH = r"""
#include <cstdio>
#include <memory>
#include <string>
struct Rec { std::string name; int width; };
static std::string pad(const Rec *r)
{
    std::string out = r->name;
    out.append(r->width - (int)r->name.size(), ' ');
    return out;
}
int main()
{
    auto first = std::make_unique<Rec>(Rec{"short", 10});
    auto second = std::make_unique<Rec>(Rec{"much too long a name for it", 10});
    std::printf("%s|%s\n", pad(first.get()).c_str(), pad(second.get()).c_str());
    return 0;
}
"""
LOCKED_AS_THEY_CAME = """
#include <pthread.h>
#include <unistd.h>
struct account { pthread_mutex_t lock; long balance; };
static struct account mine = {PTHREAD_MUTEX_INITIALIZER, 10};
static struct account yours = {PTHREAD_MUTEX_INITIALIZER, 20};
static void transfer(struct account *from, struct account *to, long amount)
{
    pthread_mutex_lock(&from->lock);   // told: locked
    usleep(100000);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}
static void *forth(void *arg)
{
    transfer(&mine, &yours, 5);
    return arg;
}
static void *back(void *arg)
{
    transfer(&yours, &mine, 7);
    return arg;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, forth, 0);
    pthread_create(&threads[1], 0, back, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
"""

CALLS_PAST_THEIR_COLD_END = """
#include <stdio.h>
static int step = -1;
__attribute__((cold, noinline)) static int end(char *t) { return puts(t); }
__attribute__((noinline)) static int count(int at, char *last)
{
    char room[8192];
    room[0] = *last;
    if (at == 1) return end(room);
    return count(at + step, room) + room[0];
}
int main(int argc, char **argv)
{
    step -= argc;
    return count(3 - argc, argv[0]);
}
"""
COUNT_MET_BY_A_POINTER = COUNT_BEHIND_ITS_ARRAY.replace(
    "w->items[w->count++] = p;   // told: written",
    "{\n char **item = &w->items[w->count];\n *item = p;   // told: written\n w->count++; }",
)
CANARY_IN_PART = """
#include <stdio.h>
static int upper(const char *text)
{
    char room[16];
    int at = 0;
    for (; text[at]; at++)
        room[at] = text[at] & ~32; /* told: written */
    room[at] = 0;
    return room[0] + room[3];
}
int main(void)
{
    return printf("%d\\n", upper("abcd") + upper("abcdefghijklmnopqrstuvwxyz"));
}
"""
ADDS_TO_A_LENT_ARRAY = """
#include <stdio.h>
struct set { int used; int *at; };
static void put(struct set *s, int one) { s->at[s->used++] = one; }
static int sum(int n)
{
    int room[6];
    struct set s = {0, room};
    for (int i = 0; i < n; i++)
        put(&s, i);
    return room[0] + room[n - 1];
}
int main(void) { return printf("%d\\n", sum(3) + sum(9)); }
"""
COPIED_BEFORE_A_PANIC = """
use std::panic::{catch_unwind, AssertUnwindSafe};
struct Name(String, bool);
impl Clone for Name {
    fn clone(&self) -> Name {
        if self.1 { panic!("no copy of {}", self.0); }
        Name(self.0.clone(), false)
    }
}
fn repeat<T: Clone>(to: &mut Vec<T>, at: usize, more: &[T]) {
    to.reserve(more.len());
    let (old, n) = (to.len(), more.len());
    unsafe {
        let place = to.as_mut_ptr().add(at);
        std::ptr::copy(place, place.add(n), old - at); // told: shared
        to.set_len(old + n);
        for (i, one) in more.iter().enumerate() {
            std::ptr::write(place.add(i), one.clone());
        }
    }
}
fn main() {
    let mut names: Vec<Name> = (0..4).map(|n| Name(format!("name {n}"), false)).collect();
    let more = [Name("first".to_string(), true), Name("next".to_string(), true)];
    std::panic::set_hook(Box::new(|_| {}));
    let done = catch_unwind(AssertUnwindSafe(|| repeat(&mut names, 1, &more)));
    println!("{}", done.is_ok());
}
"""
HANDED_TO_WHO_ASKS_FOR_NULL = """
#include <stdio.h>
#include <string.h>
struct out { char text[64]; int used; };
static int put(struct out *o, const char *word)
{
    int n = (int)strlen(word);
    if (o)
        memcpy(o->text + o->used, word, n), o->used += n;
    return n;
}
static int end(struct out *o)
{
    o->text[o->used] = 0;
    return o->used;
}
static int line(struct out *o, const char *a, const char *b)
{
    int n = put(o, a) + put(o, b);
    return n + end(o);
}
int main(void)
{
    struct out o = {"", 0};
    int n = line(&o, "a", "bc");
    n += line(NULL, "d", "e");
    printf("%d\\n", n);
    return 0;
}
"""
NULL_OF_A_LOOKUP = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { const char *key; int value; struct pair *next; };
static struct pair *all;
static void put(const char *key, int value)
{
    struct pair *one = malloc(sizeof *one);
    *one = (struct pair){key, value, all};
    all = one;
}
static struct pair *find(const char *key)
{
    for (struct pair *one = all; one; one = one->next)
        if (strcmp(one->key, key) == 0)
            return one;
    return NULL;
}
static int has(const char *key)
{
    struct pair *one = find(key);
    return one != NULL;
}
static int twice(struct pair *one) { return 2 * one->value; }
int main(void)
{
    put("a", 1);
    put("b", has("c"));
    return printf("%d\\n", twice(find("a")) + twice(find("d")));
}
"""

ENDED_BEHIND_ITS_TEXT = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char *upper(const char *s)
{
    char *text = malloc(strlen(s)), *out = text; // told: allocated-too-small
    for (; *s; s++) *out++ = *s >= 'a' && *s <= 'z' ? *s - 32 : *s;
    *out = 0;
    return text;
}
int main(void)
{
    char *small = malloc(24), *large = malloc(1500), *last = malloc(40);
    free(small);
    small = upper("abcdefghabcdefghabcdefgh");
    free(large);
    free(last);
    puts(small);
    return 0;
}
"""

ESCAPED_INTO_ITS_LENGTH = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char *escape(const char *s)
{
    char *text = malloc(strlen(s) + 1), *out = text; // told: allocated-too-small
    for (; *s; s++) {
        if (*s == '"') *out++ = '\\';
        *out++ = *s;
    }
    *out = 0;
    return text;
}
int main(void)
{
    char *text = escape("\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\""), *next = malloc(40);
    free(text);
    free(next);
    return 0;
}
"""

WIDENED_INTO_ITS_LENGTH = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned short *widen(const char *s)
{
    unsigned short *text = malloc(strlen(s) + 1); // told: allocated-too-small
    size_t n = 0;
    for (; *s; s++) text[n++] = *s;
    text[n] = 0;
    return text;
}
int main(void)
{
    unsigned short *text = widen("some words that are made wide");
    char *next = malloc(40);
    free(text);
    free(next);
    return 0;
}
"""

ROOM_FOR_HALF_OF_THEM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int *evens(const int *from, int n, int *count)
{
    int *to = malloc(n / 2 * sizeof *to); // told: allocated-too-small
    *count = 0;
    for (int i = 0; i < n; i++)
        if (from[i] % 2 == 0) to[(*count)++] = from[i];
    return to;
}
int main(void)
{
    int all[] = { 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24 }, n;
    int *found = evens(all, 12, &n);
    char *next = malloc(40);
    free(found);
    free(next);
    return 0;
}
"""

MEASURED_WITHOUT_HEADS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct field { unsigned short id, length; };
struct record { size_t size; char *data; };
static size_t measure(const char **values, int count)
{
    size_t total = 0;
    for (int i = 0; i < count; i++) total += strlen(values[i]);
    return total;
}
static void encode(struct record *r, const char **values, int count)
{
    r->size = measure(values, count);
    r->data = malloc(r->size); // told: allocated-too-small
    char *out = r->data;
    for (int i = 0; i < count; i++) {
        struct field f = { i, strlen(values[i]) };
        memcpy(out, &f, sizeof f);
        out += sizeof f;
        memcpy(out, values[i], f.length);
        out += f.length;
    }
}
int main(void)
{
    const char *values[] = { "alpha", "beta", "gamma", "delta", "eps", "zeta", "eta", "theta" };
    struct record r;
    encode(&r, values, 8);
    char *next = malloc(40);
    free(r.data);
    free(next);
    return 0;
}
"""

ENCODED_BY_ANOTHER = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void encode(char *out, const char *in)
{
    for (; *in; in++) {
        *out++ = "0123456789abcdef"[*in >> 4 & 15];
        *out++ = "0123456789abcdef"[*in & 15];
    }
    *out = 0;
}
int main(int argc, char **argv)
{
    const char *word = argc > 8 ? argv[1] : "twenty-four characters..";
    char *text = malloc(strlen(word) + 1);
    encode(text, word);
    char *next = malloc(40);
    free(text);
    free(next);
    return 0;
}
"""

COPIED_PAST_ITS_LINE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char *copy_line(const char *at)
{
    size_t n = strcspn(at, "\n");
    char *line = malloc(n + 1), *to = line;
    while (*at && *at != '\r') *to++ = *at++;
    *to = 0;
    return line;
}
int main(void)
{
    char *line = copy_line("a line\nanother line of the text\nand a third one\n");
    char *next = malloc(40);
    free(line);
    free(next);
    return 0;
}
"""

ADDED_BY_TWO_LOOPS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int *both(const int *a, int n, const int *b, int m)
{
    int *to = malloc((n + m) * sizeof *to), k = 0;
    for (int i = 0; i < n + m; i++) to[k++] = a[i];
    for (int i = 0; i < m; i++) to[k++] = b[i];
    return to;
}
int main(int argc, char **argv)
{
    int a[20] = { 1, 2, 3, 4, 5 }, b[] = { 3, 3, 3, 3, 3, 3, 3 };
    int *all = both(a, 5, b, 4 + argc);
    char *next = malloc(40);
    free(all);
    free(next);
    return argv == 0;
}
"""

FILLED_DOWNWARDS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int *reversed(const int *from, int n)
{
    int *to = malloc(n * sizeof *to);
    for (int i = n; i >= 0; i--) to[i] = from[n - i]; // told: written
    return to;
}
int main(int argc, char **argv)
{
    int all[14] = { 3, 3, 3 };
    int *back = reversed(all, 9 + argc);
    char *next = malloc(40);
    free(back);
    free(next);
    return argv == 0;
}
"""

REPEATED_ONCE_MORE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char *repeat(const char *s, int n)
{
    size_t length = strlen(s);
    char *all = malloc(length * n + 1), *to = all;
    for (int i = 0; i <= n; i++) {
        memcpy(to, s, length); // told: written
        to += length;
    }
    return all;
}
int main(int argc, char **argv)
{
    char *all = repeat("word and word and, ", 6 + argc);
    char *next = malloc(40);
    free(all);
    free(next);
    return argv == 0;
}
"""

FOLDED_INTO_ITS_CALLER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct row { int id; double value; };
static struct row *load(int n)
{
    struct row *rows = malloc(n * sizeof(struct row *));
    for (int i = 0; i < n; i++) {
        rows[i].id = i;
        rows[i].value = i * 0.5;
    }
    return rows;
}
int main(void)
{
    struct row *rows = load(9);
    char *next = malloc(40);
    printf("%d\n", rows[2].id);
    free(rows);
    free(next);
    return 0;
}
"""

CHECKED_IN_A_COLD_PART = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pool { char *text; size_t used, room; } names;
__attribute__((noinline)) static char *add(const char *s)
{
    size_t n = strlen(s) + 1;
    if (names.used + n > names.room) {
        char *text = malloc(names.room += 32);
        if (names.text) memcpy(text, names.text, names.used);
        free(names.text); // told: freed
        names.text = text;
    }
    names.used += n;
    return memcpy(names.text + names.used - n, s, n);
}
__attribute__((noinline)) static long number(const char *text)
{
    if (text[0] < '0' || text[0] > '9') abort();
    return strtol(text, NULL, 10);
}
int main(int argc, char **argv)
{
    char *width = add("640");
    for (int i = 0; i < 8 + argc; i++) add("a name");
    printf("%ld %s\n", number(width), argv[0]);
    return 0;
}
"""

CHECKED_BY_TWO_IN_A_COLD_PART = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { int kind, count; };
__attribute__((noinline)) static int look(const struct item *a, const struct item *b)
{
    if (a->kind > 3 || b->kind > 3) abort();
    return a->count + b->count;
}
__attribute__((noinline)) static void turn(struct item *a, int by) { a->kind += by; }
int main(int argc, char **argv)
{
    struct item *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    turn(a, argc);
    turn(b, argc + 3);
    printf("%d %s\n", look(a, b), argv[0]);
    return 0;
}
"""

CALLED_BY_A_JUMP = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct route { const char *path; int (*handle)(const char *); struct route *next; };
struct server { struct route *routes; int (*fallback)(const char *); };
static int serve(const char *path) { return puts(path); }
static struct route route = { "/", serve, 0 };
__attribute__((noinline)) static struct server *server_new(void)
{
    struct server *s = malloc(sizeof *s); // told: never-set
    s->routes = &route;
    return s;
}
__attribute__((noinline)) static int dispatch(struct server *s, const char *path)
{
    for (struct route *r = s->routes; r; r = r->next)
        if (strcmp(r->path, path) == 0) return r->handle(path);
    return s->fallback(path);
}
int main(void)
{
    struct server *s = server_new();
    int sum = dispatch(s, "/");
    sum += dispatch(s, "/nothing");
    return sum;
}
"""

DELETED_INLINE = """
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>
class Node {
  public:
    explicit Node(std::string name) : name_(std::move(name)) {}
    virtual ~Node()
    {
        for (Node *child : children_) delete child;
    }
    void add(Node *child) { children_.push_back(child); }
    void remove(Node *child)
    {
        children_.erase(std::remove(children_.begin(), children_.end(), child), children_.end());
        delete child; // told: freed
    }
    virtual void draw() const { std::puts(name_.c_str()); }
  private:
    std::string name_;
    std::vector<Node *> children_;
};
int main()
{
    Node root("root"), *left = new Node("left");
    root.add(left);
    root.draw();
    root.remove(left);
    std::vector<long> other(9, 0x4141414141414141);
    left->draw();
    return static_cast<int>(other.size());
}
"""

USED_AFTER_ITS_TAKE = """
struct Socket { id: u32, sent: usize }
struct Connection { socket: Option<Socket>, retries: u32 }
impl Connection {
    fn send(&mut self, text: &str) -> Result<usize, String> {
        let socket = self.socket.as_mut().unwrap();
        if text.len() > 20 {
            self.fail();
            return Err(format!("too long: {}", text.len()));
        }
        socket.sent += text.len();
        Ok(socket.sent)
    }
    fn fail(&mut self) {
        self.retries += 1;
        let old = self.socket.take(); // told: cleared
        if let Some(socket) = old { println!("closed {} after {}", socket.id, socket.sent); }
    }
}
fn main() {
    let mut one = Connection { socket: Some(Socket { id: 7, sent: 0 }), retries: 0 };
    for line in ["hello", "a line that is much too long for it", "bye"] {
        println!("{:?}", one.send(line));
    }
}
"""

ENDED_AT_A_PRODUCT = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *after(void) { char *p = malloc(40); memset(p, 1, 40); return p; }
static int16_t *interleave(const int16_t *left, const int16_t *right,
                           size_t frames, size_t *count) {
    int16_t *out = malloc(frames * 2 * sizeof *out);
    size_t k = 0;
    for (size_t i = 0; i < frames * 2; i++) {
        out[k++] = left[i];
        out[k++] = right[i];
    }
    *count = k;
    return out;
}
int main(void) {
    int16_t l[64], r[64];
    for (int i = 0; i < 64; i++) { l[i] = 0x1111 + i; r[i] = -i; }
    size_t n;
    int16_t *o = interleave(l, r, 18, &n);
    char *d = after();
    printf("%zu %d\n", n, o[3]);
    free(o); free(d);
}
"""

SWAPPED_IN_PAIRS = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *after(void) { char *p = malloc(40); memset(p, 1, 40); return p; }
static long *swapped(const long *in, size_t n) { /* pairs change places */
    long *out = malloc(n * sizeof *out);
    for (size_t i = 0; i < n; i += 2) {
        out[i] = in[i + 1];
        out[i + 1] = in[i];
    }
    return out;
}
int main(int argc, char **argv) {
    (void)argv;
    long in[12];
    for (int i = 0; i < 12; i++) in[i] = 0x7100001001 + i;
    long *o = swapped(in, 6 + argc);
    char *d = after();
    printf("%ld %d\n", o[0], d[0]);
    free(o); free(d);
}
"""

MOVED_UP_BEHIND_ITS_PLACE = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *after(void) { char *p = malloc(40); memset(p, 1, 40); return p; }
static int *inserted(const int *from, size_t n, int value) { /* a sorted copy with one more */
    int *a = malloc((n + 1) * sizeof *a);
    size_t at = 0;
    memcpy(a, from, n * sizeof *a);
    while (at < n && a[at] < value) at++;
    memmove(a + at + 1, a + at, (n - at + 1) * sizeof *a);
    a[at] = value;
    return a;
}
int main(int argc, char **argv) {
    (void)argv;
    int from[12] = { 3, 5, 8, 9, 12, 14, 20, 31, 40, 41, 42, 43 };
    int *a = inserted(from, 8 + argc, 10);
    char *d = after();
    printf("%d\n", a[4]);
    free(a); free(d);
}
"""

DIVIDED_EXACTLY = r"""
#include <cstdio>
#include <cstdlib>
#include <vector>
static int *flattened(const std::vector<std::vector<int>> &rows) {
    int *all = new int[rows.size()];
    std::size_t k = 0;
    for (const auto &row : rows)
        for (int one : row)
            all[k++] = one;
    return all;
}
int main() {
    std::vector<std::vector<int>> rows(20, {0x1001, 0x1002});
    int *a = flattened(rows), *b = new int[10]();
    std::printf("%d %d\n", a[1], b[1]);
    delete[] a;
    delete[] b;
}
"""

READ_OUT_BEFORE_A_PANIC = """
use std::ptr;
fn through(text: &mut String, make: fn(String) -> String) {
    unsafe {
        let old = ptr::read(text); // told: shared
        let new = make(old);
        ptr::write(text, new);
    }
}
fn shorter(text: String) -> String {
    let at: usize = text[5..].trim().parse().unwrap();
    text[..at].to_string()
}
fn main() {
    let mut text = String::from("take 4");
    through(&mut text, shorter);
    through(&mut text, shorter);
    println!("{text}");
}
"""

# Who failed had asked for null and had somebody set it: who cleared it did what is allowed.
DIALED_INTO_THE_SPARE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct conn { int fd; char host[24]; };
struct client { struct conn *conn; struct conn *spare; int tries; };
static int dial(struct client *c, const char *host) {
    struct conn *made = calloc(1, sizeof *made);
    made->fd = 7;
    strncpy(made->host, host, sizeof made->host - 1);
    if (c->tries++ > 0) { c->spare = made; return 0; }
    c->conn = made;
    return 0;
}
static void hang_up(struct client *c) { free(c->conn); c->conn = NULL; }
static int say(struct client *c, const char *text) {
    if (!c->conn) {
        printf("dialing\n");
        if (dial(c, "host.example")) return -1;
    }
    return printf("%d %s\n", c->conn->fd, text);
}
int main(void) {
    struct client *c = calloc(1, sizeof *c);
    say(c, "hello");
    hang_up(c);
    say(c, "again");
    free(c);
    return 0;
}
"""

COUNTED_AGAIN_BEHIND_A_PANIC = """
use std::panic::{catch_unwind, AssertUnwindSafe};
struct Stack { items: Vec<String>, done: Vec<String> }
impl Stack {
    fn finish(&mut self, at: usize) {
        unsafe {
            let item = std::ptr::read(&self.items[at]);
            self.items.set_len(at);
            self.done.push(item);
        }
    }
    fn again(&mut self) {
        unsafe { self.items.set_len(3); }
    }
}
fn main() {
    let items = (0..3).map(|n| format!("item number {n}")).collect();
    let mut stack = Stack { items, done: vec![] };
    stack.finish(2);
    let read = catch_unwind(AssertUnwindSafe(|| stack.items[2].len()));
    if read.is_err() { stack.again(); }
    println!("{} {}", stack.items.len(), stack.done.len());
}
"""

PLACE_BEHIND_ITS_POOL = r"""
#include <stdio.h>
#include <stdlib.h>
struct item { long key, value; struct item *next; };
struct pool { struct item items[4]; int used; };
static struct item *get(struct pool *p) { return &p->items[p->used++]; }
static struct pool *make(void) { return calloc(1, sizeof(struct pool)); }
int main(int argc, char **argv)
{
    struct pool *p = make();
    char *text = malloc(30);
    for (int i = 0; i < 5; i++) {
        struct item *one = get(p);
        one->key = i + 5;
        one->value = 0x1200000000 + i;
        one->next = one;
    }
    free(text);
    free(p);
    return printf("%d\n", argc);
}
"""

ASSERTED_OF_WHAT_MAY_BE_NULL = r"""
#include <assert.h>
#include <stdio.h>
#include <string.h>
struct out { char text[64]; int used; };
static int put(struct out *o, const char *word)
{
    int n = (int)strlen(word);
    if (o)
        memcpy(o->text + o->used, word, n), o->used += n;
    return n;
}
static int end(struct out *o)
{
    assert(o != NULL);
    o->text[o->used] = 0;
    return o->used;
}
static int line(struct out *o, const char *a, const char *b)
{
    int n = put(o, a) + put(o, b);
    return n + end(o);
}
int main(void)
{
    struct out o = {"", 0};
    int n = line(&o, "a", "bc");
    n += line(NULL, "d", "e");
    printf("%d\n", n);
    return 0;
}
"""

DESTROYED_TWICE_IN_ITS_SLOT = """
use std::mem::ManuallyDrop;
struct Cache { slots: [ManuallyDrop<String>; 2], live: [bool; 2] }
impl Cache {
    fn evict(&mut self, at: usize) {
        unsafe { ManuallyDrop::drop(&mut self.slots[at]) } // told: freed
        if at != 1 { self.live[at] = false; }
    }
    fn put(&mut self, at: usize, text: String) {
        self.slots[at] = ManuallyDrop::new(text);
        self.live[at] = true;
    }
    fn end(&mut self) {
        for at in 0..2 { if self.live[at] { unsafe { ManuallyDrop::drop(&mut self.slots[at]) } } }
    }
}
fn main() {
    let a = ManuallyDrop::new(String::from("number 0"));
    let b = ManuallyDrop::new(String::from("number 1"));
    let mut cache = Cache { slots: [a, b], live: [true, true] };
    cache.evict(0);
    cache.put(0, String::from("number 2"));
    cache.evict(0);
    cache.put(0, String::from("number 3"));
    cache.evict(1);
    let used = Box::new([7u64; 3]);
    println!("{}", used[1]);
    drop(used);
    cache.end();
}
"""

# Rust's mutexes are words of its own, and no locks of the C library's.
LOCKED_AGAINST_THE_ORDER = """
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
struct Store {
    entries: Mutex<Vec<(String, u32)>>,
    audit: Mutex<Vec<String>>,
}
impl Store {
    fn add(&self, key: &str, value: u32) {
        let mut entries = self.entries.lock().unwrap();
        thread::sleep(Duration::from_millis(300));
        entries.push((key.to_string(), value));
        self.audit.lock().unwrap().push(format!("add {key}"));
    }
    fn compact(&self) {
        let mut audit = self.audit.lock().unwrap(); // told: locked
        thread::sleep(Duration::from_millis(600));
        self.entries.lock().unwrap().retain(|one| one.1 > 1);
        audit.clear();
    }
}
fn main() {
    let store = Arc::new(Store { entries: Mutex::new(vec![]), audit: Mutex::new(vec![]) });
    store.add("first", 1);
    store.add("second", 2);
    let other = store.clone();
    let adding = thread::spawn(move || (3..9).for_each(|n| other.add("more", n)));
    thread::sleep(Duration::from_millis(100));
    store.compact();
    adding.join().unwrap();
}
"""

# The cell that held the object's address is known, though what the object held is overwritten.
CALLED_OF_A_BLOCK_GIVEN_AGAIN = r"""
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>
struct Widget {
    explicit Widget(std::string n) : name(std::move(n)) {}
    virtual ~Widget() = default;
    virtual int draw() const { return (int)name.size(); }
    std::string name;
};
struct Screen {
    std::vector<std::unique_ptr<Widget>> all;
    std::map<std::string, Widget *> by_name;
    void add(const std::string &name) {
        all.push_back(std::make_unique<Widget>(name));
        by_name[name] = all.back().get();
    }
    void reset() { all.clear(); } // told: freed
    int redraw(const std::string &name) { return by_name.find(name)->second->draw(); }
};
int main() {
    Screen s;
    { std::string one(28, 'a'), two(28, 'b'), three(28, 'c'), four(28, 'd'); }
    s.add("the-button-that-says-okay");
    s.add("the-button-that-cancels-it");
    int total = s.redraw("the-button-that-says-okay");
    s.reset();
    total += s.redraw("the-button-that-says-okay");
    std::printf("%d\n", total);
}
"""

# libstdc++'s destructor of a text leaves for the allocator by a jump: the class has no line of it.
A_TEXT_OF_A_LOCALS = r"""
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
struct Header {
    std::string name;
    std::string value;
};
static std::string_view longest() {
    Header h{std::string(40, 'n'), std::string(80, 'v')};
    return h.value;
} // told: freed
int main() {
    auto text = longest();
    std::string over(80, 'z');
    if (text[20] != 'v') std::abort();
    std::printf("%zu\n", text.size());
}
"""

# Either number may be wrong: that by which it was asked for, or that by which it is written.
AS_MANY_AS_ANOTHER_SAID = r"""
#include <stdio.h>
#include <stdlib.h>
struct matrix { int rows, cols; double **row; };
static struct matrix *matrix_new(int rows, int cols)
{
    struct matrix *m = malloc(sizeof *m);
    m->rows = rows;
    m->cols = cols;
    m->row = malloc(rows * sizeof *m->row);
    for (int i = 0; i < rows; i++)
        m->row[i] = malloc(rows * sizeof(double));
    return m;
}
static void fill(struct matrix *m, double start)
{
    for (int i = 0; i < m->rows; i++)
        for (int j = 0; j < m->cols; j++)
            m->row[i][j] = start + i * 0.5 + j;
}
int main(void)
{
    struct matrix *square = matrix_new(4, 4), *wide = matrix_new(3, 9);
    fill(square, 1);
    fill(wide, 2);
    printf("%f %f\n", square->row[1][1], wide->row[2][2]);
    for (int i = 0; i < 3; i++)
        free(wide->row[i]);
    return 0;
}
"""

# What it compares its counter with is in memory, as a member is at -O1.
ONE_ROUND_TOO_MANY_OF_A_MEMBER = r"""
#include <stdio.h>
#include <stdlib.h>
struct row { double *at; int n; };
static struct row row_new(int n)
{
    struct row r = {malloc(n * sizeof(double)), n};
    return r;
}
static void smooth(struct row *r)
{
    for (int i = 0; i <= r->n; i++)
        r->at[i] = i * 0.5; // told: written
}
int main(void)
{
    struct row a = row_new(7), b = row_new(9);
    smooth(&a);
    smooth(&b);
    printf("%f\n", a.at[3] + b.at[2]);
    free(a.at);
    free(b.at);
    return 0;
}
"""

# More than the whole slice has: where the range starts is not to blame.
HAD_LESS_THAN_ITS_HEADER_SAID = """
struct Reader {
    data: Vec<u8>,
    at: usize,
}
struct Header {
    kind: u8,
    size: usize,
}
impl Reader {
    fn header(&mut self) -> Header {
        let kind = self.data[self.at];
        let words = self.data[self.at + 1] as usize;
        self.at += 2;
        Header { kind, size: words * 8 } // told: computed
    }
    fn body(&mut self, h: &Header) -> Vec<u8> {
        let part = self.data[self.at..self.at + h.size].to_vec();
        self.at += h.size;
        part
    }
}
fn main() {
    let mut r = Reader { data: vec![1, 4, 9, 9, 9, 9, 2, 1, 7], at: 0 };
    let mut sum = 0;
    while r.at < r.data.len() {
        let h = r.header();
        sum += r.body(&h).len() + h.kind as usize;
    }
    println!("{}", sum);
}
"""

# A register had the pointer, from a time before its block was given out again.
CLOSED_BY_ITS_HANDLER = r"""
#include <stdio.h>
#include <stdlib.h>
struct conn { int fd; int closed; void (*on_data)(struct conn *, int); struct conn *next; };
static struct conn *connections;
static int served;
static void remove_conn(struct conn *c) {
    struct conn **p = &connections;
    while (*p && *p != c) p = &(*p)->next;
    if (*p) *p = c->next;
}
static void close_conn(struct conn *c) {
    remove_conn(c);
    c->closed = 1;
    free(c); /* told */
}
static void on_echo(struct conn *c, int n) { served += n + c->fd; }
static void on_once(struct conn *c, int n) { served += n; close_conn(c); }
static struct conn *open_conn(int fd, void (*fn)(struct conn *, int)) {
    struct conn *c = malloc(sizeof *c);
    c->fd = fd;
    c->closed = 0;
    c->on_data = fn;
    c->next = connections;
    connections = c;
    return c;
}
static void log_line(const char *text) {
    char *copy = malloc(sizeof(struct conn));
    for (unsigned i = 0; i < sizeof *connections; i++) copy[i] = text[i % 8] | 0x40;
    fprintf(stderr, "%.8s\n", copy);
    /* kept on purpose */
}
static void poll_all(int round) {
    for (struct conn *c = connections; c; c = c->next) {
        c->on_data(c, round);
        log_line("handled!");
    }
}
int main(void) {
    open_conn(3, on_echo);
    open_conn(4, on_once);
    open_conn(5, on_echo);
    for (int i = 0; i < 4; i++) poll_all(i);
    printf("%d\n", served);
    return 0;
}
"""

# What the program gave std::vector::resize was cut; what the vector asked for follows from it.
PIXELS_OF_A_NARROW_PRODUCT = r"""
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
struct Image { uint32_t w, h; std::vector<uint8_t> px; };
static Image make(const uint32_t *head)
{
    Image image{head[0], head[1], {}};
    image.px.resize(image.w * image.h); // told: allocated-too-small
    return image;
}
static void mirror(Image &image)
{
    for (uint32_t y = 0; y < image.h; y++) {
        uint8_t *row = image.px.data() + (size_t)y * image.w;
        std::reverse(row, row + image.w);
    }
}
int main()
{
    uint32_t small[] = {4, 4}, large[] = {65536, 65537};
    Image a = make(small), b = make(large);
    mirror(a);
    mirror(b);
    std::printf("%u %u\n", a.px[0], b.px[0]);
}
"""

# A copy from another function's frame is none from place to place within an array.
HANDED_ON_WITH_A_REPLY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct string { char *data; size_t len; };
struct message { int id; struct string topic, body; };
static struct string str(const char *s)
{
    struct string r = {strdup(s), strlen(s)};
    return r;
}
static void str_free(struct string *s) { free(s->data); s->data = NULL; }
static struct message reply_to(const struct message *m, const char *text)
{
    struct message r;
    r.id = m->id + 1;
    r.topic = m->topic; /* told: shared */
    r.body = str(text);
    return r;
}
static void message_free(struct message *m)
{
    str_free(&m->topic);
    str_free(&m->body);
}
int main(void)
{
    struct message first = {1, str("greetings from the other side"), str("hello there")};
    struct message second = reply_to(&first, "hello back");
    printf("%d %s\n", second.id, second.body.data);
    message_free(&first);
    message_free(&second);
    return 0;
}
"""

# Above a byte that a function gives back stands what was there before: nothing was cut.
AS_NARROW_AS_IT_WAS_GIVEN = """
fn ratio(a: f64, b: f64) -> f64 {
    (a - b) / (a + b - 10.0)
}
fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    sorted[sorted.len() / 2]
}
fn main() {
    let pairs = [(3.0, 4.0), (8.0, 1.0), (5.0, 5.0), (9.0, 2.0)];
    let samples: Vec<f64> = pairs.iter().map(|&(a, b)| ratio(a, b)).collect();
    println!("{}", median(&samples));
}
"""

# Who waits in the other lock, one for many readers, took it first: no watch was on that.
PRICED_BEFORE_IT_COUNTED = """
use std::sync::{Arc, Mutex, RwLock};
use std::thread::{sleep, spawn};
use std::time::Duration;
struct Shop { stock: Mutex<Vec<u32>>, prices: RwLock<Vec<u32>> }
impl Shop {
    fn sell(&self, n: usize) -> u32 {
        let mut stock = self.stock.lock().unwrap();
        sleep(Duration::from_millis(30));
        stock[n] -= 1;
        self.prices.read().unwrap()[n]
    }
    fn raise(&self, by: u32) {
        let mut prices = self.prices.write().unwrap(); // against the order
        prices.iter_mut().for_each(|one| *one += by);
        sleep(Duration::from_millis(60));
        println!("{} kinds", self.stock.lock().unwrap().len());
    }
}
fn main() {
    let shop = Arc::new(Shop { stock: Mutex::new(vec![50; 4]), prices: RwLock::new(vec![3; 4]) });
    println!("{}", shop.sell(1) + shop.sell(2));
    let other = shop.clone();
    let selling = spawn(move || (0..8).map(|n| other.sell(n % 4)).sum::<u32>());
    sleep(Duration::from_millis(10));
    shop.raise(2);
    println!("{}", selling.join().unwrap());
}
"""

# Who holds the lock that is waited for waits in none itself: it tries for the other, and sleeps.
TRIED_FOR_THE_OTHER = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t names = PTHREAD_MUTEX_INITIALIZER, sums = PTHREAD_MUTEX_INITIALIZER;
static long sum[4];
static void pay(int n, long by)
{
    pthread_mutex_lock(&names);
    usleep(30000);
    while (pthread_mutex_trylock(&sums) != 0)
        usleep(1000);
    sum[n] += by;
    pthread_mutex_unlock(&sums);
    pthread_mutex_unlock(&names);
}
static void show(int n)
{
    pthread_mutex_lock(&sums); /* against the order */
    usleep(40000);
    pthread_mutex_lock(&names);
    printf("%ld\n", sum[n]);
    pthread_mutex_unlock(&names);
    pthread_mutex_unlock(&sums);
}
static void *payer(void *p)
{
    for (int i = 0; i < 6; i++)
        pay(i % 2, i * 5);
    return p;
}
int main(void)
{
    pthread_t t;
    pay(3, 1);
    pthread_create(&t, NULL, payer, NULL);
    usleep(5000);
    show(1);
    pthread_join(t, NULL);
    return 0;
}
"""

# sizeof of the pointer to an array; how many were asked for stands in a member that has changed.
TAKEN_FOR_POINTERS = r"""
#include <stdio.h>
#include <stdlib.h>
struct point { double x, y, weight; };
struct path { struct path *next; struct point *points; size_t used, room; };
static void path_room(struct path *p, size_t more)
{
    if (p->used + more <= p->room)
        return;
    p->room = (p->used + more) * 2;
    p->points = realloc(p->points, p->room * sizeof(p->points)); /* told: allocated-too-small */
}
static void path_add(struct path *p, double x, double y)
{
    path_room(p, 1);
    struct point *to = &p->points[p->used++];
    to->x = x;
    to->y = y;
    to->weight = 1;
}
int main(void)
{
    struct path *all = NULL;
    for (int n = 0; n < 3; n++) {
        struct path *p = calloc(1, sizeof *p);
        p->next = all;
        all = p;
        for (int i = 0; i < 2; i++)
            path_add(p, i * 0.5, n);
    }
    for (struct path *next; all; all = next) {
        next = all->next;
        free(all->points);
        free(all);
    }
    return 0;
}
"""

# Optimised further its handler leaves for the allocator by jumps: the stack has no frame of it.
LEFT_BY_ITS_HANDLER = CLOSED_BY_ITS_HANDLER.replace(" told", "")

# The header was damaged while its block was free: given again, it seems to have no bytes.
DAMAGED_WHEN_IT_WAS_GIVEN_AGAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct entry { char *key; char *value; struct entry *next; };
struct section { char name[24]; struct entry *entries; };
static char *copy_range(const char *from, const char *to)
{
    size_t length = to - from;
    char *copy = malloc(length); /* told: allocated-too-small */
    memcpy(copy, from, length);
    copy[length] = '\0';
    return copy;
}
static void add(struct section *s, const char *line)
{
    const char *eq = strchr(line, '=');
    struct entry *e = malloc(sizeof *e);
    e->key = copy_range(line, eq);
    e->value = copy_range(eq + 1, line + strlen(line));
    e->next = s->entries;
    s->entries = e;
}
static void clear(struct section *s)
{
    while (s->entries) {
        struct entry *e = s->entries;
        s->entries = e->next;
        free(e->key);
        free(e->value);
        free(e);
    }
}
int main(void)
{
    struct section s = {"server", NULL};
    add(&s, "host=localhost");
    add(&s, "certificate_file_name_xx=/etc/ssl/certs/server.pem/a");
    add(&s, "port=8080");
    printf("%s\n", s.entries->key);
    clear(&s);
    add(&s, "name_of_the_second_host_=localhost");
    add(&s, "a_key_of_twenty_four_byt=certificate_file_name_xx");
    add(&s, "listen_on_this_port_only=8080,8081,8082,8083,8084");
    add(&s, "log_to_this_file_please_=/var/log/a");
    printf("%s\n", s.entries->value);
    clear(&s);
    return 0;
}
"""

# What counts adds to two bytes of the pointer behind its array.
COUNTED_BEHIND_ITS_ARRAY = r"""
#include <stdio.h>
#include <string.h>
struct decoder { unsigned short counts[16]; unsigned char *out; int written; };
static unsigned char output[64];
static struct decoder d;
static void count_lengths(struct decoder *d, const unsigned char *lengths, int n)
{
    for (int i = 0; i < n; i++)
        d->counts[lengths[i]]++; /* told: written */
}
static int emit(struct decoder *d, int symbol)
{
    d->out[d->written++] = symbol;
    return symbol;
}
static int decode(struct decoder *d, const unsigned char *in, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += emit(d, in[i] ^ d->counts[1]);
    return sum;
}
int main(void)
{
    unsigned char lengths[20];
    memset(lengths, 3, sizeof lengths);
    lengths[4] = 18;
    lengths[7] = 19;
    d.out = output;
    count_lengths(&d, lengths, 20);
    unsigned char in[] = "some input";
    printf("%d\n", decode(&d, in, 10));
    return 0;
}
"""

# What was called through its own table deletes itself and leaves by a jump.
DELETED_ITSELF = r"""
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>
struct Listener { virtual ~Listener() = default; virtual void notify(int) = 0; };
class Bus {
  std::vector<Listener *> all;
public:
  void add(Listener *l) { all.push_back(l); }
  void drop(Listener *l) { all.erase(std::remove(all.begin(), all.end(), l), all.end()); }
  void send(int n) {
    for (Listener *l : all)
      l->notify(n);
  }
};
class Once : public Listener {
  Bus &bus;
  std::string name;
public:
  Once(Bus &b, std::string n) : bus(b), name(std::move(n)) { bus.add(this); }
  void notify(int n) override {
    std::printf("%s %d\n", name.c_str(), n);
    delete this;
  }
};
class Always : public Listener {
  long sum = 0;
public:
  void notify(int n) override { sum += n; }
};
int main() {
  Bus bus;
  auto a = std::make_unique<Always>();
  bus.add(a.get());
  new Once(bus, "a listener whose name is long");
  new Once(bus, "another of them with a long name");
  bus.send(1);
  bus.add(a.get());
  bus.send(2);
  return 0;
}
"""

# What its table names releases it and leaves by a jump.
CLOSED_BY_ITS_TABLE = r"""
#include <stdio.h>
#include <stdlib.h>
struct file; struct ops { void (*close)(struct file *); int (*read)(struct file *); };
struct file { const struct ops *ops; int fd, refs; char name[20]; };
static void mem_close(struct file *f) { f->fd = -1; free(f); }
static int mem_read(struct file *f) { return f->fd * 3; }
static const struct ops mem_ops = {mem_close, mem_read};
static struct file *table[4];
static void put(int n)
{
    struct file *f = table[n];
    if (--f->refs == 0)
        f->ops->close(f);
}
static struct file *make(int fd)
{
    struct file *f = calloc(1, sizeof *f);
    f->ops = &mem_ops, f->fd = fd, f->refs = 1;
    return f;
}
int main(void)
{
    for (int i = 0; i < 4; i++)
        table[i] = make(i + 3);
    put(2);
    struct file *again = malloc(40);
    again->ops = (void *)0x1234;
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += table[i]->ops->read(table[i]);
    printf("%d\n", sum);
}
"""

# A range may end where its slice does: it was right until that was cut.
CUT_BELOW_ITS_RANGES = """
struct Doc { text: Vec<u8>, tokens: Vec<(usize, usize)> }
impl Doc {
    fn new(text: &[u8]) -> Doc {
        let mut d = Doc { text: text.to_vec(), tokens: Vec::new() };
        let mut start = 0;
        for (i, c) in text.iter().enumerate() {
            if *c == b' ' { d.tokens.push((start, i)); start = i + 1; }
        }
        d.tokens.push((start, text.len()));
        d
    }
    fn cut(&mut self, n: usize) {
        self.text.truncate(n); // told: written
    }
    fn longest(&self) -> &[u8] {
        let mut best = &self.text[..0];
        for &(a, b) in &self.tokens {
            let word = &self.text[a..b];
            if word.len() > best.len() { best = word; }
        }
        best
    }
}
fn main() {
    let mut d = Doc::new(b"the quick brown fox jumps over the lazy dog");
    println!("{}", d.longest().len());
    d.cut(40);
    println!("{}", d.longest().len());
}
"""

# A text was made shorter than the places in it that are kept.
REPLACED_BELOW_ITS_PLACES = """
struct Token { start: usize, end: usize }
struct Doc { text: String, tokens: Vec<Token> }
impl Doc {
    fn new(text: &str) -> Doc {
        let mut d = Doc { text: text.to_string(), tokens: Vec::new() };
        let mut start = 0;
        for (i, c) in text.char_indices() {
            if c == ' ' { d.tokens.push(Token { start, end: i }); start = i + 1; }
        }
        d.tokens.push(Token { start, end: text.len() });
        d
    }
    fn replace(&mut self, from: &str, to: &str) {
        self.text = self.text.replace(from, to); // told: written
    }
    fn longest(&self) -> &str {
        let mut best = "";
        for t in &self.tokens {
            let word = &self.text[t.start..t.end];
            if word.len() > best.len() { best = word; }
        }
        best
    }
}
fn main() {
    let mut d = Doc::new("the quick brown fox jumps over the lazy dog");
    println!("{}", d.longest());
    d.replace("brown ", "");
    println!("{}", d.longest());
}
"""

# The destructor, which leaves by a jump, was asked for by who deleted.
DELETED_BY_ITS_LIST = r"""
#include <cstdio>
#include <string>
#include <vector>
struct Shape { virtual ~Shape() = default; virtual int area() const = 0; };
struct Square : Shape {
  int side;
  explicit Square(int s) : side(s) {}
  int area() const override { return side * side; }
};
struct Scene {
  std::vector<Shape *> shapes;
  Shape *picked = nullptr;
  void add(Shape *s) { shapes.push_back(s); picked = s; }
  void drop(size_t n) {
    Shape *s = shapes[n];
    shapes.erase(shapes.begin() + n);
    delete s; // told: freed
  }
  int total() const { int t = 0; for (auto *s : shapes) t += s->area(); return t; }
};
int main(int argc, char **) {
  Scene scene;
  for (int i = 0; i < 3; i++) scene.add(new Square(i + argc));
  scene.add(new Square(7));
  std::printf("%d\n", scene.total());
  scene.drop(3);
  std::string text(24, 'x');
  auto *more = new char[16]{'a', 'b', 'c', 'd', 'a', 'b', 'c', 'd', 'a', 'b', 'c', 'd'};
  std::printf("%d %c\n", scene.picked->area(), more[1]);
}
"""

# Inlined, the reader's frame is that of the struct, whose members others wrote.
MOVED_WITH_WHAT_ITS_HEADERS_NAME = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct buffer { char *data; size_t len, cap; };
struct header { const char *name; size_t len; };
struct request { struct buffer in; struct header headers[8]; int count; };
static void feed(struct request *r, const char *text)
{
    size_t n = strlen(text);
    if (r->in.len + n > r->in.cap) {
        r->in.cap = (r->in.len + n) * 2;
        r->in.data = realloc(r->in.data, r->in.cap); /* told: freed */
    }
    memcpy(r->in.data + r->in.len, text, n);
    r->in.len += n;
}
static void header(struct request *r, const char *text)
{
    size_t from = r->in.len;
    feed(r, text);
    r->headers[r->count].name = r->in.data + from;
    r->headers[r->count++].len = strlen(text);
}
static const struct header *find(const struct request *r, const char *name)
{
    for (int i = 0; i < r->count; i++)
        if (r->headers[i].len >= strlen(name) && !strncmp(r->headers[i].name, name, strlen(name)))
            return &r->headers[i];
    return NULL;
}
int main(void)
{
    struct request r = {0};
    static char big[200001];
    memset(big, 'b', 200000), big[200000] = 0;
    header(&r, "Host: example.org\n");
    header(&r, big);
    char *pad = malloc(100);
    header(&r, "Accept: text/html\n");
    memset(big, 'c', 190000);
    header(&r, big);
    header(&r, big);
    const struct header *h = find(&r, "Accept");
    printf("%.*s %p\n", h ? (int)h->len : 0, h ? h->name : "", pad);
    return 0;
}
"""

# Behind the store another function that was inlined in the same one begins.
BORROWED_IN_WHAT_WAS_INLINED = """
use std::cell::RefCell;
use std::rc::Rc;
struct Board { cells: Vec<u32>, watchers: Vec<Rc<dyn Fn(u32)>> }
fn set(board: &Rc<RefCell<Board>>, n: usize, v: u32) {
    let mut b = board.borrow_mut(); // told: written
    b.cells[n] = v;
    for w in b.watchers.iter() { w(v); }
}
fn main() {
    let board = Rc::new(RefCell::new(Board { cells: vec![0; 9], watchers: vec![] }));
    let other = Rc::clone(&board);
    set(&board, 1, 4);
    board.borrow_mut().watchers.push(Rc::new(move |v| {
        let sum: u32 = other.borrow().cells.iter().sum();
        println!("{} {}", v, sum);
    }));
    set(&board, 2, 5);
}
"""

# Two members come back in one register: the upper half is the bad one.
GIVEN_BACK_BESIDE_ANOTHER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct span { int from, to; };
struct text { const char *at; struct span word; };
static struct span find(const char *text, char open, char close)
{
    struct span s = {0, -1};
    const char *a = strchr(text, open), *b = strchr(text, close);
    if (a)
        s.from = a - text;
    if (b)
        s.to = b - text + 100000000; /* told: computed */
    return s;
}
static int sum(const struct text *t)
{
    int n = 0;
    n += t->at[t->word.to];
    n += t->at[t->word.from];
    return n;
}
int main(void)
{
    struct text t[2] = {{"a (b) c"}, {"(d"}};
    t[1].word = find(t[1].at, '(', ')');
    t[0].word = find(t[0].at, '(', ')');
    printf("%d\n", sum(&t[0]));
}
"""

# And go on in one.
HANDED_ON_BESIDE_ANOTHER = r"""
#include <stdio.h>
#include <string.h>
struct span { int from, to; };
static struct span limit(struct span s, int most)
{
    if (s.from > most)
        s.from = most;
    return s;
}
static int sum(const char *text, struct span s)
{
    int n = 0;
    n += text[s.to];
    n += text[s.from];
    return n;
}
static int parse(const char *text)
{
    struct span s;
    s.from = strlen(text) / 2;
    s.to = s.from * 400000000; /* told: computed */
    s = limit(s, 5);
    return sum(text, s);
}
int main(void)
{
    printf("%d\n", parse("a text"));
}
"""

# The function that gave the struct back had stored what another had given it.
NO_SUCH_UNIT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct unit { const char *name; int per; };
static const struct unit units[] = {{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
struct rate { int count, per; char name[8]; };
static int unit_of(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].name, name))
            return units[i].per;
    return 0; /* told: returned */
}
static struct rate parse(const char *text)
{
    struct rate r = {0};
    r.count = atoi(text);
    const char *slash = strchr(text, '/');
    strncpy(r.name, slash ? slash + 1 : "", 7);
    r.per = unit_of(r.name);
    return r;
}
static int per_day(const struct rate *r) { return 86400 / r->per * r->count; }
int main(void)
{
    const char *texts[] = {"5/m", "2/h", "9/w"};
    int sum = 0;
    struct rate rates[3];
    for (int i = 0; i < 3; i++)
        rates[i] = parse(texts[i]);
    for (int i = 0; i < 3; i++)
        sum += per_day(&rates[i]);
    printf("%d\n", sum);
}
"""

# Optimised, no register has the lock any more by which its function was called.
GUARDED_AS_THEY_CAME = """
#include <mutex>
#include <thread>
#include <vector>
struct account { std::mutex lock; long cents = 10000; };
struct bank {
    std::vector<account> all_{2};
    bool transfer(int from, int to, long cents)
    {
        std::lock_guard<std::mutex> source(all_[from].lock); // told: locked
        if (all_[from].cents < cents)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        std::lock_guard<std::mutex> target(all_[to].lock);
        all_[from].cents -= cents;
        all_[to].cents += cents;
        return true;
    }
};
static void work(bank &one, int start)
{
    for (int i = 0; i < 40; i++) {
        int from = (start + i) % 2, to = 1 - from;
        one.transfer(from, to, 10 + i % 7);
    }
}
int main()
{
    bank one;
    std::vector<std::thread> all;
    all.emplace_back(work, std::ref(one), 0);
    all.emplace_back(work, std::ref(one), 1);
    for (auto &each : all)
        each.join();
}
"""

# What threw was given two members of an object that is gone.
KEPT_BY_ITS_READER = """
#include <map>
#include <memory>
#include <string>
#include <vector>
struct page { std::string url, body; };
static std::map<int, std::unique_ptr<page>> pages;
static const page *show(int number)
{
    auto &place = pages[number];
    if (!place) {
        place = std::make_unique<page>();
        place->url = "/" + std::to_string(number);
        place->body = std::string(100, 'x');
    }
    if (pages.size() > 3)
        pages.erase(pages.begin()); // told: freed
    return pages[number].get();
}
int main()
{
    std::vector<const page *> seen;
    for (int number = 0; number < 6; number++)
        seen.push_back(show(number));
    unsigned long size = 0;
    for (const page *one : seen)
        size += (one->url + one->body).size();
    return size == 0;
}
"""

# What only hands a block on to free() was inlined: its caller gave it back.
HANDED_ON_INLINE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct text { char **lines; size_t count; };
static void *xmalloc(size_t size)
{
    if (size > (1u << 30))
        return NULL;
    return malloc(size);
}
static void xfree(void *p)
{
    free(p);
}
__attribute__((noinline)) static void text_add(struct text *t, const char *line)
{
    char **more = realloc(t->lines, (t->count + 1) * sizeof *more);
    t->lines = more;
    more[t->count] = xmalloc(strlen(line) + 1);
    strcpy(more[t->count++], line);
}
__attribute__((noinline)) static void text_release(struct text *t)
{
    for (size_t i = 0; i < t->count; i++)
        xfree(t->lines[i]);
    xfree(t->lines); /* told: freed */
}
__attribute__((noinline)) static void retitle(struct text *t, const char *line)
{
    text_release(t);
    if (line)
        text_add(t, line);
}
__attribute__((noinline)) static char *fill(void)
{
    char *all = xmalloc(24);
    memset(all, 'x', 24);
    return all;
}
__attribute__((noinline)) static size_t width(const struct text *t)
{
    size_t most = 0;
    for (size_t i = 0; i < t->count; i++)
        if (strlen(t->lines[i]) > most)
            most = strlen(t->lines[i]);
    return most;
}
int main(void)
{
    struct text t = {NULL, 0};
    text_add(&t, "first");
    text_add(&t, "second one");
    text_add(&t, "third");
    printf("%zu\n", width(&t));
    retitle(&t, NULL);
    char *all = fill();
    printf("%zu %c\n", width(&t), all[0]);
    return 0;
}
"""

# The same, of two that share what is given back: who made them share it is to blame.
ENDED_FOR_BOTH = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct row { char **cells; int count; };
static void xfree(void *p)
{
    free(p);
}
static inline __attribute__((always_inline)) void row_end(struct row *r)
{
    for (int i = 0; i < r->count; i++)
        xfree(r->cells[i]);
    xfree(r->cells);
}
__attribute__((noinline)) static struct row row_make(int count)
{
    struct row r = {malloc(count * sizeof(char *)), count};
    for (int i = 0; i < count; i++)
        r.cells[i] = strdup("a cell");
    return r;
}
int main(int argc, char **argv)
{
    struct row a = row_make(3), b = row_make(3);
    if (argc < 2)
        b = a;
    row_end(&a);
    char *other = malloc(24);
    memset(other, 'x', 24);
    row_end(&b);
    printf("%s\n", other);
    return 0;
}
"""

# An inlined function of no type that gives back a member, and leaves the pointer there.
MEMBER_OF_NO_TYPE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct part { char *name; int kind; };
static inline void part_clear(void *p)
{
    free(((struct part *)p)->name); /* told: freed */
    ((struct part *)p)->kind = 0;
}
__attribute__((noinline)) static void part_name(struct part *p, const char *name)
{
    if (p->name)
        p->name[0] = 0;
    part_clear(p);
    p->name = strdup(name);
    p->kind = 1;
}
__attribute__((noinline)) static void part_end(struct part *p)
{
    if (p->kind)
        puts(p->name);
    part_clear(p);
}
int main(void)
{
    struct part p = {NULL, 0};
    part_name(&p, "a wheel of some size and more text");
    part_end(&p);
    char *other = malloc(35);
    memset(other, 'x', 35);
    part_end(&p);
    puts("again");
    part_end(&p);
    free(other);
    return 0;
}
"""

# The function that counts the holders is another than the one that releases.
COUNTED_BY_ANOTHER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct ref { int count; };
struct doc { struct ref ref; char *title; char body[40]; };
struct view { struct doc *shown; };
static int ref_dec(struct ref *r)
{
    r->count--;
    return r->count == 0;
}
static void doc_drop(struct doc *d)
{
    if (ref_dec(&d->ref))
        free(d);
}
static struct doc *doc_hold(struct doc *d)
{
    d->ref.count++;
    return d;
}
static struct doc *doc_new(char *title)
{
    struct doc *d = malloc(sizeof *d);
    d->ref.count = 1;
    d->title = title;
    return d;
}
static size_t measure(struct doc *d)
{
    size_t n = strlen(d->title);
    doc_drop(d); /* told: released-early */
    return n;
}
int main(void)
{
    struct doc *d = doc_new("the title");
    struct view v = {doc_hold(d)};
    printf("%zu\n", measure(d));
    doc_drop(v.shown);
    char *other = malloc(sizeof *d);
    memset(other, 'x', sizeof *d);
    printf("%zu\n", measure(d) + (other[0] == 'y'));
    return 0;
}
"""

# Who failed had the object closed by one that has another clear it: the call may be wrong.
CLEARED_THROUGH_ANOTHER = r"""
#include <stdio.h>
#include <stdlib.h>
struct conn { char *name; int state; };
__attribute__((noinline)) static void detach(struct conn *c) { c->name = NULL; c->state = 2; }
__attribute__((noinline)) static void close_conn(struct conn *c) { if (c->state == 1) detach(c); }
__attribute__((noinline)) static int finish(struct conn *c) {
  int n = c->state;
  close_conn(c);
  return n + c->name[0];
}
int main(int argc, char **argv) {
  struct conn *c = malloc(sizeof *c);
  c->name = argv[0]; c->state = 1;
  printf("%d\n", finish(c));
  return 0;
}
"""

# What hands memory on leaves for the allocator by a jump.
MADE_BY_A_JUMP = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) void *xmalloc(size_t size)
{
    return malloc(size ? size : 1);
}
__attribute__((noinline)) static char *decoded(const char *from)
{
    char *text = xmalloc(24), *to = text;
    for (; *from; from++) {
        if (*from == '%')
            from += 2;
        *to++ = *from; /* told: written */
    }
    *to = '\0';
    return text;
}
int main(void)
{
    char *one = decoded("a%61b");
    char *two = decoded("a longer text %61%62%63 with more");
    char *other = strdup("other");
    printf("%s %s %s\n", one, two, other);
    free(other);
    free(two);
    free(one);
    return 0;
}
"""

# The word of the first base's table where the second one's has what was called deletes an object.
STOPPED_BY_ITS_SECOND_BASE = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
struct Named { std::string name; virtual ~Named() {} virtual int id() { return 1; } };
struct Task { long runs = 0; virtual void run() = 0; virtual void stop() = 0; };
struct Worker : Named, Task {
    long *slots = new long[64]();
    ~Worker() override { delete[] slots; }
    __attribute__((noinline)) void run() override { runs++; slots[runs % 64] += runs; }
    __attribute__((noinline)) void stop() override { std::puts(name.c_str()); delete this; }
};
struct Pool {
    std::vector<Task *> tasks;
    __attribute__((noinline)) void stop_one(size_t at) { tasks[at]->stop(); std::puts("stopped"); }
    __attribute__((noinline)) void run_all() { for (auto *t : tasks) t->run(); std::puts("ran"); }
};
int main()
{
    Pool p;
    for (int i = 0; i < 3; i++)
        p.tasks.push_back(new Worker);
    p.run_all();
    p.stop_one(1);
    for (int i = 0; i < 8; i++)
        memset(malloc(64), 0x41, 64);
    p.run_all();
}
"""

# The object's table is not its first word.
CLOSED_BY_ITS_SECOND_WORD = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct chan;
struct ops { long (*read)(struct chan *, int); void (*close)(struct chan *); };
struct chan { long sum; const struct ops *ops; long left; char name[24]; };
static long slow_read(struct chan *c, int n) { c->sum += n; return c->left -= n; }
static void slow_close(struct chan *c) { c->sum = -1; free(c); }
static const struct ops slow = {slow_read, slow_close};
static struct chan *chans[4];
static struct chan *open_chan(long left)
{
    struct chan *c = calloc(1, sizeof *c);
    c->ops = &slow;
    c->left = left;
    return c;
}
__attribute__((noinline)) static void sweep(long least)
{
    for (int i = 0; i < 4; i++)
        if (chans[i]->left < least)
            chans[i]->ops->close(chans[i]);
    puts("swept");
}
__attribute__((noinline)) static long pump(int n)
{
    long sum = 0;
    for (int i = 0; i < 4; i++)
        sum += chans[i]->ops->read(chans[i], n);
    return sum;
}
int main(void)
{
    for (int i = 0; i < 4; i++)
        chans[i] = open_chan(10 + i * 10);
    long sum = pump(2);
    sweep(12);
    for (int i = 0; i < 8; i++)
        memset(malloc(48), 0x41, 48);
    printf("%ld\n", sum + pump(3));
}
"""

# A word is taken apart: the lower half loses nothing, the upper one is kept beside it.
UNPACKED_INTO_ITS_HALVES = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct set { uint16_t n, flags; int *at; };
__attribute__((noinline)) static void open_set(struct set *s, uint32_t word)
{
    s->n = word;
    s->flags = word >> 16;
    s->at = calloc(s->n, sizeof *s->at);
}
__attribute__((noinline)) static int slot(const struct set *s, int key)
{
    return key * 7 % (s->n * 4);
}
__attribute__((noinline)) static void store(struct set *s, int key, int value)
{
    s->at[slot(s, key)] = value; /* told: written */
}
int main(void)
{
    struct set a, b;
    open_set(&a, 0x30000 + 12);
    open_set(&b, 0x70000 + 12);
    memset(b.at, 0, 48);
    for (int key = 0; key < 5; key++)
        store(&a, key, key + 0x5000);
    for (int key = 0; key < 4; key++)
        store(&b, key, key + 1);
    printf("%d\n", a.at[0] + b.at[0]);
    free(b.at);
    free(a.at);
}
"""

# What was written over its header makes a block seem larger than all memory.
DAMAGED_TO_A_LARGE_ONE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct rec { long id; char *name; struct rec *peer; };
static struct rec *recs[8];
static struct rec *make(long id, const char *name)
{
    struct rec *r = malloc(sizeof *r);
    r->id = id;
    r->name = strdup(name);
    r->peer = NULL;
    return r;
}
static void drop(struct rec *r)
{
    free(r->name);
    free(r); /* told: freed */
}
static void tie(struct rec *a, struct rec *b) { a->peer = b; }
static size_t peers(const struct rec *r) { return strlen(r->peer->name); }
int main(void)
{
    char *memo = malloc(24);
    recs[0] = make(1, "one");
    recs[1] = make(2, "two");
    tie(recs[1], recs[0]);
    drop(recs[0]);
    strcpy(memo, "a memo of more than 24 bytes");
    long *spare = malloc(24);
    spare[0] = 5;
    spare[1] = 6;
    printf("%zu\n", peers(recs[1]));
}
"""

# An index of zero is right in any array that has elements.
FIRST_OF_AN_EMPTY_ROW = r"""
struct Row { cells: Vec<u32>, first: usize }
#[inline(never)]
fn fill(r: &mut Row, n: u32, skip: bool) { if !skip { for i in 0..n { r.cells.push(i * 3); } } }
#[inline(never)]
fn drain(r: &mut Row) -> u64 {
    let mut sum = 0;
    while let Some(c) = r.cells.pop() { sum += c as u64; }
    sum
}
#[inline(never)]
fn first(r: &Row) -> u32 { r.cells[r.first] }
fn main() {
    let mut rows: Vec<Row> = (0..3).map(|_| Row { cells: Vec::new(), first: 0 }).collect();
    let mut total = 0u64;
    for round in 0..3u32 {
        for r in rows.iter_mut() { r.first = 0; }
        for (i, r) in rows.iter_mut().enumerate() { fill(r, 3, round == 2 && i == 1); }
        for r in rows.iter() { total += first(r) as u64; }
        for r in rows.iter_mut() { total += drain(r); }
    }
    println!("{total}");
}
"""

# Who releases takes one off a number on the way, and does not ask what is left of it.
CLOSED_WITH_ONE_PENDING = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct chan { long id; long pending; char *name; };
static struct chan *table[4];
static void expect(struct chan *c) { c->pending++; }
static void settle(struct chan *c) { c->pending--; }
static struct chan *open_chan(int at, const char *name)
{
    struct chan *c = calloc(1, sizeof *c);
    c->id = at;
    c->name = strdup(name);
    expect(c);
    table[at] = c;
    return c;
}
static void ask(struct chan *c, int n)
{
    expect(c);
    c->id += n;
}
static void answer(struct chan *c)
{
    settle(c);
    c->id++;
}
static void close_chan(struct chan *c)
{
    settle(c);
    free(c->name);
    free(c); /* told: freed */
}
static void idle(int at)
{
    if (table[at]->id > 2)
        close_chan(table[at]);
}
static size_t names(void)
{
    size_t sum = 0;
    for (int i = 0; i < 3; i++)
        sum += strlen(table[i]->name);
    return sum;
}
int main(void)
{
    open_chan(0, "zero");
    open_chan(1, "one");
    open_chan(2, "two");
    size_t s = names();
    for (int i = 0; i < 3; i++)
        ask(table[i], i);
    for (int i = 0; i < 3; i++)
        answer(table[i]);
    for (int i = 0; i < 3; i++)
        idle(i);
    for (int i = 0; i < 6; i++)
        memset(malloc(24), 'x', 24);
    s += names();
    printf("%zu\n", s);
    return 0;
}
"""

# The jump goes by what a subtraction left, and by no comparison in front of it.
COUNTED_UP_TO_ITS_LIMIT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct msg { struct msg *next; int kind; char text[40]; };
struct pool { struct msg *free; struct msg items[8]; };
struct link { struct msg *head, *tail; int n; };
static void pool_init(struct pool *p)
{
    for (int i = 0; i < 8; i++) {
        p->items[i].next = p->free;
        p->free = &p->items[i];
    }
}
static struct msg *get(struct pool *p)
{
    struct msg *m = p->free;
    if (m) {
        p->free = m->next;
        m->next = NULL;
    }
    return m;
}
static void put(struct pool *p, struct msg *m) { m->next = p->free; p->free = m; }
static void push(struct link *l, struct msg *m)
{
    if (l->tail)
        l->tail->next = m;
    else
        l->head = m;
    l->tail = m;
    l->n++;
}
static int send(struct pool *p, struct link *l, const char *text)
{
    struct msg *m = get(p);
    if (strlen(text) > 20) {
        put(p, m);
        goto fail;
    }
    strcpy(m->text, text);
    push(l, m);
    return 1;
fail:
    put(p, m);
    return 0;
}
int main(void)
{
    static struct pool p;
    struct link l = {0};
    pool_init(&p);
    send(&p, &l, "one");
    send(&p, &l, "a text that is much too long for this");
    send(&p, &l, "two");
    send(&p, &l, "three");
    int count = 0;
    for (struct msg *m = l.head; m; m = m->next)
        if (++count > 100000)
            abort();
    printf("%d\n", count);
    return 0;
}
"""

# Its queue's own row, optimised: what one of its handlers released it did by a jump.
READY_WITHOUT_A_FRAME = READY.replace(" told", "")

# Optimised, the line of its release is that of an inlined function's, of which nothing is left.
ENDED_AT_A_HEADERS_LINE = ENDED_TWICE.replace(" told: freed", "")

# Optimised, where its destructor's object lies is not known: a pointer's target is no part of it.
OWNED_BY_A_POINTER = OWNER

# A point where an inlined function begins is in that one, whose line tells what was computed.
TRIMMED_IN_WHAT_WAS_INLINED = INSIDE

# A constructor of the compiler's is none of the program's where it is inlined either.
MOVED_IN_WHAT_WAS_INLINED = MOVED_AWAY

# The release that failed is the one that drop_in_place left for by a jump.
DROPPED_AND_LEFT_BY_A_JUMP = DROPPED_BEFORE_ITS_PLACE_MOVED

# What holds the pointer was read through a register that was changed by that.
LEFT_AND_READ_THROUGH_ITSELF = LEFT_IN_A_BLOCK

# Optimised, whether its maker meant it to lead to itself is not known.
MADE_AS_A_RING_OR_NOT = MADE_AS_A_RING.replace(" told: looped", "")

# A thread frees what it was given and ends; at -O2 a member's address of a stale node is used.
ENDS_ITS_THREAD = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { struct node *next; char name[40]; };
struct work { struct node *first; long done; };

static void *consume(void *arg)
{
    struct work *w = arg;
    for (struct node *n = w->first, *next; n; n = next) {
        next = n->next;
        w->done += strlen(n->name);
        free(n); /* told: freed */
    }
    return 0;
}

static void add(struct work *w, const char *name)
{
    struct node *n = malloc(sizeof *n);
    strcpy(n->name, name);
    n->next = w->first;
    w->first = n;
}

int main(void)
{
    struct work w = {0};
    pthread_t t;
    add(&w, "one");
    add(&w, "two");
    add(&w, "three");
    pthread_create(&t, 0, consume, &w);
    pthread_join(t, 0);
    char *text = malloc(sizeof(struct node));
    memset(text, 'a', sizeof(struct node) - 1);
    text[sizeof(struct node) - 1] = 0;
    size_t n = 0;
    for (struct node *at = w.first; at; at = at->next)
        n += strlen(at->name);
    printf("%zu %ld\n", n, w.done);
    return 0;
}
"""

# A product of two: the number that lost a part is not the one that the slice follows.
STRIDE_OF_SIXTEEN_BITS = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct header { uint16_t width, height; uint8_t channels; };
struct image { struct header h; size_t stride; uint8_t *rows; };

static int read_header(struct header *h, const uint8_t *p)
{
    if (memcmp(p, "IMG1", 4))
        return -1;
    h->width = (uint16_t)(p[4] << 8 | p[5]);
    h->height = (uint16_t)(p[6] << 8 | p[7]);
    h->channels = p[8];
    return h->channels < 1 || h->channels > 4 ? -1 : 0;
}

static size_t stride_of(const struct header *h)
{
    uint16_t bytes = h->width * h->channels; /* told: truncated */
    return (bytes + 3) & ~3u;
}

static struct image *create(const struct header *h)
{
    struct image *im = malloc(sizeof *im);
    im->h = *h;
    im->stride = stride_of(h);
    im->rows = malloc(im->stride * h->height);
    return im;
}

static void fill(struct image *im, uint8_t value)
{
    for (unsigned y = 0; y < im->h.height; y++) {
        uint8_t *row = im->rows + y * im->stride;
        for (unsigned x = 0; x < im->h.width; x++)
            for (unsigned c = 0; c < im->h.channels; c++)
                row[x * im->h.channels + c] = value;
    }
}

static unsigned long checksum(const struct image *im)
{
    unsigned long n = 0;
    for (size_t i = 0; i < im->stride * im->h.height; i++)
        n = n * 31 + im->rows[i];
    return n;
}

int main(void)
{
    static volatile uint8_t given[] = {'I', 'M', 'G', '1', 0x55, 0x60, 0x00, 0x10, 3};
    uint8_t raw[9];
    for (int i = 0; i < 9; i++) raw[i] = given[i];
    struct header h;
    if (read_header(&h, raw) < 0)
        return 1;
    struct image *im = create(&h);
    fill(im, 0x7f);
    printf("%lx\n", checksum(im));
    free(im->rows);
    free(im);
    return 0;
}
"""

# The same where the compiler keeps the narrow variable in a register, and cuts it where it is used.
STRIDE_IN_A_REGISTER = STRIDE_OF_SIXTEEN_BITS

# The ninth header of eight goes over the pointer to a table of functions: it leads to a text then.
HEADER_OVER_ITS_ROUTE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEADERS = 8 };

struct header { const char *name; const char *value; };
struct request {
    char method[8];
    struct header headers[MAX_HEADERS];
    struct route *route;
    int count;
    char *body;
};
struct route { const char *path; int (*handle)(struct request *); };

static int show(struct request *r)
{
    printf("%s with %d headers\n", r->method, r->count);
    return 0;
}

static struct route routes[] = {{"/", show}, {"/status", show}};

static int add_header(struct request *r, char *line)
{
    char *colon = strchr(line, ':');
    if (!colon)
        return -1;
    *colon++ = 0;
    while (*colon == ' ')
        colon++;
    if (r->count > MAX_HEADERS)
        return -1;
    struct header *h = &r->headers[r->count++];
    h->name = line; /* told: written */
    h->value = colon;
    return 0;
}

static int parse(struct request *r, char *text)
{
    char *save = 0;
    char *first = strtok_r(text, "\n", &save);
    if (!first || sscanf(first, "%7s", r->method) != 1)
        return -1;
    r->route = strstr(first, "/status") ? &routes[1] : &routes[0];
    for (char *line; (line = strtok_r(0, "\n", &save)) != 0;)
        if (add_header(r, line) < 0)
            return -1;
    return 0;
}

static const char *find(const struct request *r, const char *name)
{
    for (int i = 0; i < r->count && i < MAX_HEADERS; i++)
        if (!strcmp(r->headers[i].name, name))
            return r->headers[i].value;
    return "-";
}

static int dispatch(struct request *r)
{
    printf("host %s\n", find(r, "Host"));
    return r->route->handle(r);
}

int main(void)
{
    char text[] = "GET /status HTTP/1.1\nHost: example\nAccept: */*\nUser-Agent: t\nCookie: a=b\n"
                  "Referer: x\nDNT: 1\nConnection: close\nPragma: x\nX-Forwarded-For: a\n";
    struct request *r = calloc(1, sizeof *r);
    if (parse(r, text) < 0)
        fprintf(stderr, "malformed\n");
    int rc = dispatch(r);
    free(r);
    return rc;
}
"""

FIRST_OF_AN_EMPTY_WORD = """
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread;

struct Table {
    words: HashMap<String, usize>,
}

fn count(table: &Arc<Mutex<Table>>, text: &str) {
    for word in text.split(' ') {
        let mut held = table.lock().expect("the table");
        let first = word.chars().next().unwrap();
        if first.is_alphabetic() {
            *held.words.entry(word.to_string()).or_insert(0) += 1;
        }
    }
}

fn start(table: &Arc<Mutex<Table>>, text: &'static str) -> thread::JoinHandle<()> {
    let table = Arc::clone(table);
    thread::spawn(move || {
        count(&table, text)
    })
}

fn main() {
    let table = Arc::new(Mutex::new(Table { words: HashMap::new() }));
    let workers = vec![
        start(&table, "the tide comes in"),
        start(&table, "and  the tide goes out"),
        start(&table, "the gulls go home"),
    ];
    for worker in workers {
        let _ = worker.join();
    }
    let held = table.lock().expect("the table is whole");
    println!("{} words", held.words.len());
}
"""


MOVED_INTO_A_BRACED_LIST = r"""
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>
struct Mesh {
    std::vector<float> points;
    bool lit;
};
struct Batch {
    std::unique_ptr<Mesh> mesh;
    int pass;
};
static std::vector<std::unique_ptr<Mesh>> meshes;
static std::vector<Batch> lit;
static void sort() {
    for (auto &mesh : meshes)
        if (mesh->lit)
            lit.push_back({std::move(mesh), 1}); // told: cleared
}
static void add(int points, bool shines) {
    meshes.push_back(std::make_unique<Mesh>());
    meshes.back()->points.assign(points, 0.5f);
    meshes.back()->lit = shines;
}
int main() {
    add(40, false);
    add(12, true);
    sort();
    size_t all = 0;
    for (const auto &mesh : meshes)
        all += mesh->points.size();
    std::printf("%zu %zu\n", lit.size(), all);
}
"""


MOVED_INTO_ONE_THAT_WAS_INLINED = MOVED_INTO_A_BRACED_LIST.replace(" // told: cleared", "")
# A function keeps the element that a sentinel leads to: its number is not at the read.
KEPT_ITS_ELEMENT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct widget { char *title; long keys; void (*pressed)(struct widget *, int key); };
struct screen { struct widget *widgets; unsigned char count, focus; };

static void typed(struct widget *w, int key) { w->keys += key; }

static void add(struct screen *s, char *title)
{
    s->widgets[s->count].title = title;
    s->widgets[s->count].pressed = typed;
    s->focus = s->count++;
}

static void close_dialog(struct screen *s)
{
    s->focus = 255; /* told: written */
}

static void press(struct screen *s, int key)
{
    struct widget *w = &s->widgets[s->focus];
    w->pressed(w, key);
}

int main(void)
{
    struct screen *s = calloc(1, sizeof *s);
    s->widgets = calloc(8, sizeof *s->widgets);
    char *text = malloc(8000);
    memset(text, 'z', 8000);
    add(s, "name");
    add(s, "ok");
    press(s, 'a');
    close_dialog(s);
    press(s, 'b');
    printf("%ld %c\n", s->widgets[1].keys, text[7]);
    return 0;
}
"""

# Whether a node has a child says where it is in a tree, and not who uses it.
UNLINKED_WITH_ONE_CHILD = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { struct node *left, *right, *parent; int key; char *label; };
struct tree { struct node *root; int count; };

static struct node *make(int key, struct node *parent)
{
    struct node *n = calloc(1, sizeof *n);
    n->key = key;
    n->parent = parent;
    n->label = malloc(16);
    snprintf(n->label, 16, "node-%d", key);
    return n;
}

static void insert(struct tree *t, int key)
{
    struct node **at = &t->root, *parent = NULL;
    while (*at) {
        parent = *at;
        at = key < parent->key ? &parent->left : &parent->right;
    }
    *at = make(key, parent);
    t->count++;
}

static struct node *find(struct tree *t, int key)
{
    struct node *n = t->root;
    while (n && n->key != key)
        n = key < n->key ? n->left : n->right;
    return n;
}

static void replace(struct tree *t, struct node *n, struct node *by)
{
    if (!n->parent)
        t->root = by;
    else if (n->parent->left == n)
        n->parent->left = by;
    else
        n->parent->right = by;
}

static void erase(struct tree *t, int key)
{
    struct node *n = find(t, key);
    if (!n || (n->left && n->right))
        return;
    replace(t, n, n->left ? n->left : n->right);
    free(n->label);
    n->label = NULL;
    free(n); /* told: freed */
    t->count--;
}

static int depth(const struct node *n)
{
    int d = 0;
    for (; n->parent; n = n->parent)
        d += n->parent->label[0] == 'n';
    return d;
}

int main(void)
{
    struct tree t = {0};
    static const int keys[] = {50, 30, 70, 20, 60, 80, 10, 65, 85};
    for (int i = 0; i < 9; i++)
        insert(&t, keys[i]);
    printf("%d\n", depth(find(&t, 10)));
    erase(&t, 20);
    insert(&t, 90);
    insert(&t, 95);
    printf("%d\n", depth(find(&t, 95)));
    printf("%d\n", depth(find(&t, 10)));
    return 0;
}
"""

# The number of an element was given for an array that another took the place of.
SELECTED_BEFORE_THE_FILTER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row { char *title; int done; struct row *(*open)(struct row *); };
struct view { struct row *rows; int count, selected, top; };

static struct row *open_row(struct row *r) { r->done = 1; return r; }

static void add(struct view *v, const char *title)
{
    struct row *grown = malloc((size_t)(v->count + 1) * sizeof *grown);
    if (v->count)
        memcpy(grown, v->rows, (size_t)v->count * sizeof *grown);
    free(v->rows);
    v->rows = grown;
    v->rows[v->count].title = strdup(title);
    v->rows[v->count].done = 0;
    v->rows[v->count++].open = open_row;
}

static void select_row(struct view *v, int at)
{
    if (at < v->count)
        v->selected = at;
}

static void filter(struct view *v, const char *prefix)
{
    struct row *kept = malloc((size_t)v->count * sizeof *kept);
    int n = 0;
    for (int i = 0; i < v->count; i++)
        if (!strncmp(v->rows[i].title, prefix, strlen(prefix)))
            kept[n++] = v->rows[i];
    struct row *small = malloc((size_t)n * sizeof *small);
    memcpy(small, kept, (size_t)n * sizeof *small);
    memset(kept, 0x11, (size_t)v->count * sizeof *kept);
    free(v->rows);
    v->rows = small;
    v->count = n;
}

static int activate(struct view *v)
{
    struct row *r = &v->rows[v->selected];
    return r->open(r)->done;
}

int main(void)
{
    struct view v = {0};
    char name[16];
    for (int i = 0; i < 24; i++) {
        snprintf(name, sizeof name, "%c-%d", i % 3 ? 'b' : 'a', i);
        add(&v, name);
    }
    select_row(&v, 20);
    printf("%d\n", activate(&v));
    filter(&v, "a");
    printf("%d\n", activate(&v));
    return 0;
}
"""

SELECTED_BEFORE_THE_FILTER_IN_LINE = SELECTED_BEFORE_THE_FILTER

# What compares a list's members at -O2 is no kind that another object has, nor a pool's.
EVICTED_IN_LINE = EVICTED.replace(" told: cleared", "")

# malloc's list led to no chunk from the link on that was written over in a chunk handed out since.
STALE_LINK = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job { long due; char name[48]; };
struct queue { struct job *jobs[16]; int n; struct job *soonest; };

static struct job *new_job(const char *name, long due)
{
    struct job *j = malloc(sizeof *j);
    j->due = due;
    snprintf(j->name, sizeof j->name, "%s", name);
    return j;
}

static void add(struct queue *q, struct job *j)
{
    q->jobs[q->n++] = j;
    if (!q->soonest || j->due < q->soonest->due)
        q->soonest = j;
}

static void cancel(struct queue *q, const char *name)
{
    for (int i = 0; i < q->n; i++)
        if (strcmp(q->jobs[i]->name, name) == 0) {
            free(q->jobs[i]); /* told: freed */
            q->jobs[i] = q->jobs[--q->n];
            return;
        }
}

static void postpone(struct queue *q, long by)
{
    q->soonest->due += by;
}

int main(void)
{
    struct queue q = { 0 };
    add(&q, new_job("backup", 500));
    add(&q, new_job("report", 120));
    add(&q, new_job("mail", 340));
    cancel(&q, "mail");
    cancel(&q, "report");
    postpone(&q, 61);
    add(&q, new_job("sync", 700));
    add(&q, new_job("index", 710));
    printf("%d jobs, first %s\n", q.n, q.soonest->name);
    return 0;
}
"""

# What is stepped on came to the link by itself: whoever had released what lies there is no cause.
RUN_INTO_A_LINK = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct label { char text[40]; };
struct sheet { struct label *cells[8]; };

static struct label *label(const char *text)
{
    struct label *l = malloc(sizeof *l);
    size_t i = 0;
    while (text[i] && i < sizeof l->text - 1) {
        l->text[i] = text[i];
        i++;
    }
    l->text[i] = 0;
    return l;
}

static void fill(struct label *l)
{
    long *p = (long *)l->text, *end = p + sizeof l->text / 5;
    while (p <= end)
        *p++ = 0x3d3d3d3d3d3d3d3d; /* told: written */
}

int main(void)
{
    struct sheet s;
    s.cells[0] = label("Quarter");
    s.cells[1] = label("Income");
    s.cells[2] = label("Costs");
    free(s.cells[2]);
    free(s.cells[1]);
    fill(s.cells[0]);
    s.cells[1] = label("Net income");
    s.cells[2] = label("Net costs");
    printf("%s %s\n", s.cells[1]->text, s.cells[2]->text);
    return 0;
}
"""

# What was inlined into a function that only hands a block on is no line of who released it.
RESIZED_THROUGH_A_HOOK = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory { void *(*resize)(struct memory *m, void *old, size_t size); long calls; };
struct buffer { long *data; int n; };
struct view { long *at; int n; };

static void *plain(struct memory *m, void *old, size_t size)
{
    m->calls++;
    return realloc(old, size);
}

static inline void *resize(struct memory *m, void *old, size_t size)
{
    return m->resize(m, old, size);
}

__attribute__((noinline)) void *sized(struct memory *m, void *old, size_t size)
{
    void *got = resize(m, old, size);
    if (!got && size) {
        fprintf(stderr, "no memory after %ld calls\n", m->calls);
        exit(1);
    }
    return got;
}

__attribute__((noinline)) void widen(struct memory *m, struct buffer *b, int n)
{
    b->data = sized(m, b->data, n * sizeof *b->data); /* told: freed */
    memset(b->data + b->n, 0, (n - b->n) * sizeof *b->data);
    b->n = n;
}

__attribute__((noinline)) struct view look(struct buffer *b)
{
    struct view v = { b->data, b->n };
    return v;
}

__attribute__((noinline)) void fill(struct view *v, long with)
{
    for (int i = 0; i < v->n; i++)
        v->at[i] = with + i;
}

int main(void)
{
    struct memory m = { plain, 0 };
    struct buffer b = { 0 }, c = { 0 }, d = { 0 };
    widen(&m, &c, 12);
    widen(&m, &d, 12);
    widen(&m, &b, 12);
    struct view v = look(&b);
    widen(&m, &d, 40);
    widen(&m, &c, 60);
    widen(&m, &b, 300);
    fill(&v, 0x4141414141414143);
    struct buffer e = { 0 }, f = { 0 };
    widen(&m, &e, 12);
    widen(&m, &f, 12);
    printf("%ld\n", m.calls + e.data[0] + f.data[0]);
    return 0;
}
"""

# Optimised, the hook has left by a jump, and which of its arguments the block was is not known.
LEFT_THROUGH_A_HOOK = RESIZED_THROUGH_A_HOOK.replace(" told: freed", "")

# The last word of a block is its own, though the header behind is damaged; the copy read too far.
COPIED_FROM_BEHIND = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape { int kind; int n; struct shape **parts; const char *name; };

static struct shape *leaf(const char *name)
{
    struct shape *s = calloc(1, sizeof *s);
    s->name = name;
    return s;
}

static struct shape *group(int n, ...)
{
    struct shape *s = calloc(1, sizeof *s);
    __builtin_va_list more;
    s->kind = 1;
    s->n = n;
    s->parts = malloc(n * sizeof *s->parts);
    __builtin_va_start(more, n);
    for (int i = 0; i < n; i++)
        s->parts[i] = __builtin_va_arg(more, struct shape *);
    __builtin_va_end(more);
    return s;
}

static void flatten(struct shape *s)
{
    while (s->parts[0]->kind == 1) {
        struct shape *first = s->parts[0];
        int n = s->n, m = first->n;
        s->n = n + m - 1;
        s->parts = realloc(s->parts, s->n * sizeof *s->parts);
        memmove(s->parts + m, first->parts + 1, n * sizeof *s->parts);
        memmove(s->parts, first->parts, m * sizeof *s->parts);
        free(first->parts);
        free(first);
    }
}

static int count(const struct shape *s)
{
    int total = s->kind == 0;
    for (int i = s->n - 1; i >= 0; i--)
        total += count(s->parts[i]);
    return total;
}

int main(void)
{
    struct shape *inner = group(4, leaf("a"), leaf("b"), leaf("c"), leaf("d"));
    struct shape *all = group(6, inner, leaf("e"), leaf("f"), leaf("g"), leaf("h"), leaf("i"));
    flatten(all);
    printf("%d\n", count(all));
    return 0;
}
"""

# Its memory was a stream's buffer before, of which nobody had a pointer; its kind is no null.
MERGED_BEHIND_ITS_ITERATOR = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { SPACE = 1, WORD = 10, BREAK = 11 };
struct node { enum kind kind; struct node *next; char *text; int width; long pad[12]; };
struct iter { struct node *now, *next; };

static struct node *push(struct node *last, enum kind kind, const char *text)
{
    struct node *n = calloc(1, sizeof *n);
    n->kind = kind;
    n->text = strdup(text);
    n->width = strlen(text);
    if (last)
        last->next = n;
    return n;
}

__attribute__((noinline)) struct node *step(struct iter *it)
{
    it->now = it->next;
    if (it->now)
        it->next = it->now->next;
    return it->now;
}

__attribute__((noinline)) void drop(struct node *n)
{
    free(n->text);
    free(n); /* told: freed */
}

__attribute__((noinline)) void merge_words(struct iter *it)
{
    struct node *n;
    while ((n = step(it))) {
        if (n->kind != WORD)
            continue;
        struct node *more = n->next;
        while (more && more->kind == WORD) {
            struct node *behind = more->next;
            n->width += more->width;
            drop(more);
            more = behind;
        }
        n->next = more;
    }
}

int main(int argc, char **argv)
{
    char head[64] = "";
    FILE *f = fopen(argv[0], "r");
    if (!f || !fread(head, 1, sizeof head, f))
        return 1;
    fclose(f);
    struct node *first = push(NULL, SPACE, " "), *last = first;
    for (int i = 0; i < 3; i++) {
        last = push(last, WORD, "left");
        last = push(last, WORD, "middle");
        last = push(last, WORD, "right");
        last = push(last, BREAK, "\n");
    }
    struct iter it = { NULL, first };
    merge_words(&it);
    printf("%d\n", first->next->width);
    return 0;
}
"""

# A number added to its own double is one number: elements of three words.
WENT_TO_THREE_WORDS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cell { long width; char *text; long height; };
struct sheet { struct cell *cells; int columns, rows; int at; char *note; };

static struct sheet *open_sheet(int columns, int rows)
{
    struct sheet *s = calloc(1, sizeof *s);
    s->columns = columns;
    s->rows = rows;
    s->cells = calloc(columns * rows, sizeof *s->cells);
    for (int i = 0; i < columns * rows; i++) {
        s->cells[i].text = strdup("empty");
        s->cells[i].width = 5;
    }
    s->note = malloc(4000);
    memset(s->note, '-', 4000);
    return s;
}

__attribute__((noinline)) void go_to(struct sheet *s, int column, int row)
{
    s->at = row * s->rows + column; /* told: computed */
}

__attribute__((noinline)) char first(const struct sheet *s)
{
    return s->cells[s->at].text[0];
}

int main(void)
{
    struct sheet *s = open_sheet(4, 9);
    go_to(s, 2, 1);
    printf("%c\n", first(s));
    go_to(s, 3, 7);
    printf("%c\n", first(s));
    return 0;
}
"""

# Where two numbers are added, the other may be wrong, whatever the sum is multiplied by.
SUMMED_FOR_THREE_WORDS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cell { long width; char *text; long height; };
struct sheet { struct cell *cells; int columns, rows; int at, first; char *note; };

static struct sheet *open_sheet(int columns, int rows)
{
    struct sheet *s = calloc(1, sizeof *s);
    s->columns = columns;
    s->rows = rows;
    s->cells = calloc(columns * rows, sizeof *s->cells);
    for (int i = 0; i < columns * rows; i++)
        s->cells[i].text = strdup("empty");
    s->note = malloc(4000);
    memset(s->note, '-', 4000);
    return s;
}

__attribute__((noinline)) void go_to(struct sheet *s, int at) { s->at = at; }

__attribute__((noinline)) void show_from(struct sheet *s, int first)
{
    s->first = first * 11;
}

__attribute__((noinline)) char first(const struct sheet *s)
{
    return s->cells[s->first + s->at].text[0];
}

int main(void)
{
    struct sheet *s = open_sheet(4, 9);
    go_to(s, 2);
    show_from(s, 1);
    printf("%c\n", first(s));
    go_to(s, 9);
    show_from(s, 5);
    printf("%c\n", first(s));
    return 0;
}
"""


# What the library keeps of its arguments came from a call, or from a cell that a call read.
TAGGED_INTO_ITS_LABEL = r"""
#include <cstdio>
#include <cstring>
#include <string>
struct Slot { char tag[8]; const char *label; const char *get() const { return label; } };
static Slot slots[3];
static void mark(Slot &slot, const char *tag) { std::strcpy(slot.tag, tag); } // told: written
int main() {
    for (Slot &slot : slots) slot.label = "a label of the harbour";
    mark(slots[0], "one");
    mark(slots[1], "one of too many");
    for (const Slot &slot : slots) std::printf("%s: %s\n", slot.tag, slot.get());
}
"""


LONGEST_OF_MOVED_STOPS = r"""
// Groups the stops of bus trips by line and prints the longest wait of each.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

struct Stop {
    std::string name;
    int minutes;
};

struct Trip {
    std::string line;
    std::vector<Stop> stops;
    const Stop *longest = nullptr;
};

class Timetable {
public:
    void add(const std::string &line, const std::string &name, int minutes) {
        Trip &trip = trips_[line];
        trip.line = line;
        trip.stops.push_back({name, minutes}); // told: freed
        const Stop &last = trip.stops.back();
        if (!trip.longest || last.minutes > trip.longest->minutes)
            trip.longest = &last;
    }
    void print() const {
        for (const auto &[line, trip] : trips_) {
            std::printf("%s: %zu stops\n", line.c_str(), trip.stops.size());
            std::printf("  longest wait at %s\n", trip.longest->name.c_str());
        }
    }
private:
    std::map<std::string, Trip> trips_;
};

int main() {
    Timetable table;
    const char *names[] = {"Harbour street, upper end", "Station square, platform nine",
                           "Town hall, western gate", "Old bridge, northern bank"};
    for (int i = 0; i < 12; i++)
        table.add(i % 2 ? "12" : "7", names[i % 4], 20 - i);
    table.print();
}
"""


# A number by right: what is printed as a text is the mistake.
PRINTED_AS_A_TEXT = r"""
#include <stdio.h>
#include <stdlib.h>
struct item { long count; const char *name; };
static struct item *make(const char *name, long count) {
    struct item *i = malloc(sizeof *i);
    i->name = name;
    i->count = count;
    return i;
}
static long count_of(const struct item *i) { return i->count; }
int main(void) {
    struct item *one = make("rope", 42);
    printf("%s %s\n", one->name, one->count);
}
"""

# The number of an element was right, and its array's size had lost a part.
GRID_OF_TOO_MANY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct grid { int columns, rows; long *cells; };

static struct grid *grid_new(int columns, int rows)
{
    struct grid *g = malloc(sizeof *g);
    int bytes = columns * rows * (int)sizeof(long); /* told: computed */
    g->columns = columns;
    g->rows = rows;
    g->cells = malloc((size_t)bytes);
    return g;
}

static void count(struct grid *g, int column, int row)
{
    size_t at = (size_t)row * g->columns + column;
    g->cells[at]++;
}

int main(int argc, char **argv)
{
    int scale = argc > 1 ? atoi(argv[1]) : 65536;
    struct grid *small = grid_new(80, 24);
    count(small, 3, 4);
    struct grid *wide = grid_new(scale, scale / 8);
    count(wide, 0, 0);
    count(wide, 9, 100);
    printf("%ld\n", wide->cells[0]);
    return 0;
}
"""

# The same where a function gives the element's address back.
ACCESSED_BY_ITS_CELL = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct page { int columns, rows, cell; char *cells; };

static size_t bytes_of(int columns, int rows, int cell)
{
    int total = columns * rows * cell; /* told: computed */
    return (size_t)total;
}

static struct page *page_new(int columns, int rows, int cell)
{
    struct page *p = malloc(sizeof *p);
    p->columns = columns;
    p->rows = rows;
    p->cell = cell;
    p->cells = malloc(bytes_of(columns, rows, cell));
    return p;
}

static char *cell_at(struct page *p, int column, int row)
{
    return p->cells + ((size_t)row * p->columns + column) * p->cell;
}

static void put(struct page *p, int column, int row, const char *text)
{
    char *c = cell_at(p, column, row);
    memset(c, ' ', (size_t)p->cell);
    memcpy(c, text, strlen(text));
}

int main(int argc, char **argv)
{
    int scale = argc > 1 ? atoi(argv[1]) : 65536;
    struct page *small = page_new(80, 24, 8);
    put(small, 3, 4, "small");
    struct page *wide = page_new(scale, 4096, 16);
    put(wide, 0, 0, "first");
    put(wide, 9, 100, "later");
    printf("%.5s\n", cell_at(wide, 9, 100));
    return 0;
}
"""

# An element in front of an array is malloc's own: why that one was read is asked.
MONTH_BELOW_ZERO = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *months[] = {"jan", "feb", "mar", "apr", "may", "jun",
                               "jul", "aug", "sep", "oct", "nov", "dec"};

struct bucket { long total; int *last; };
struct year { int number; struct bucket *by_month; int entries; };

static int month_of(const char *text)
{
    for (int i = 0; i < 12; i++)
        if (!strncmp(months[i], text, 3))
            return i;
    return -1; /* told: returned */
}

static struct year *year_new(int number)
{
    struct year *y = malloc(sizeof *y);
    y->number = number;
    y->entries = 0;
    y->by_month = calloc(12, sizeof *y->by_month);
    for (int i = 0; i < 12; i++) {
        y->by_month[i].last = malloc(sizeof(int));
        *y->by_month[i].last = 0;
    }
    return y;
}

static void import(struct year *y, const char *line)
{
    char name[16];
    int amount;
    if (sscanf(line, "%15s %d", name, &amount) != 2)
        return;
    struct bucket *b = &y->by_month[month_of(name)];
    b->total += amount;
    *b->last = amount;
    y->entries++;
}

int main(void)
{
    static const char *lines[] = {"jan 100", "feb 200", "march 50", "dec 11", "sept 3", "Oct 77"};
    struct year *y = year_new(2024);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        import(y, lines[i]);
    printf("%d entries, %ld in march\n", y->entries, y->by_month[2].total);
    return 0;
}
"""

# At -O2 the constant stands behind the loop's branch, in that one's row of the line table.
MONTH_BEHIND_A_BRANCH = MONTH_BELOW_ZERO.replace(" told: returned", "")

# A hash loses bits by right: its rest alone goes into the size.
ROOMS_BY_A_REST_OF_A_HASH = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct set { uint32_t *keys; uint32_t n; };
static uint32_t hash(const char *s) {
    uint32_t h = 2166136261u;
    while (*s)
        h = (h ^ (uint8_t)*s++) * 16777619u;
    return h;
}
__attribute__((noinline)) static void set_open(struct set *s, const char *name) {
    s->n = 24 + hash(name) % 7;
    s->keys = malloc(s->n * sizeof *s->keys);
}
__attribute__((noinline)) static void set_put(struct set *s) {
    for (uint32_t i = 0; i <= s->n + 2; i++)
        s->keys[i] = 0x01020304u * i + 1; /* told: written */
}
int main(int argc, char **argv) {
    struct set s;
    set_open(&s, argc > 1 ? argv[1] : "colours");
    char *next = malloc(30);
    strcpy(next, "next");
    set_put(&s);
    printf("%s\n", next);
    free(next);
    free(s.keys);
    return 0;
}
"""

# The upper bits of a product go into the size: what that lost was not to be in it.
ROOMS_BY_A_HASH = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* the upper bits of a hash say how many rooms there are */
struct map { uint64_t *at; unsigned n; };
__attribute__((noinline)) static void map_open(struct map *m, uint64_t id) {
    uint64_t h = id * 0x9e3779b97f4a7c15ull;
    m->n = 16 + (unsigned)(h >> 60);
    m->at = malloc(m->n * sizeof *m->at);
}
__attribute__((noinline)) static void map_fill(struct map *m) {
    for (unsigned i = 0; i <= m->n + 1; i++)
        m->at[i] = 0x1111111111ull * i + 7; /* told: written */
}
int main(int argc, char **argv) {
    struct map m;
    map_open(&m, 12345 + argc);
    char *next = malloc(24);
    strcpy(next, "next");
    map_fill(&m);
    printf("%s\n", next);
    free(next);
    free(m.at);
    return 0;
}
"""

# A place that a pool gave out again: to who failed, so that who gave it back did no harm.
GIVEN_OUT_TO_ITS_USER = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
struct Shape { const char *name; double w, h; Shape *next; };
struct Store {
    Shape *head = nullptr; int live = 0;
    inline Shape *take() {
        Shape *s = head; head = s->next; live++;
        s->name = nullptr; s->w = s->h = 0; s->next = nullptr;
        return s;
    }
    inline void put(Shape *s) { s->next = head; head = s; live--; }
};
static Store store;
static Shape room[8];
__attribute__((noinline)) static Shape *shape(const char *n, double w) {
    Shape *s = store.take();
    s->w = w;
    s->name = n;
    return s;
}
__attribute__((noinline)) static void rename_(Shape *s, const char *n) {
    s->name = n;
}
__attribute__((noinline)) static size_t len(const Shape *s) { return strlen(s->name); }
int main(int argc, char **) {
    for (auto &one : room) store.put(&one);
    store.live = 0;
    Shape *a = shape("circle", 1), *b = shape("square", 2);
    printf("%zu %zu\n", len(a), len(b));
    store.put(a);
    Shape *c = shape("line", 3);
    rename_(c, argc > 1 ? "other" : nullptr); // told: passed-wrong
    printf("%zu\n", len(c));
}
"""

# What takes off a list asks malloc where that is empty: it is a pool's all the same.
TAKEN_OR_ASKED_FOR = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
struct Node { Node *next; const char *name; long value; };
struct Pool {
    Node *free_ = nullptr;
    inline Node *take() {
        Node *n = free_;
        if (n) free_ = n->next;
        else n = (Node *)malloc(sizeof(Node));
        n->next = nullptr; n->name = nullptr; n->value = 0;
        return n;
    }
    inline void give(Node *n) { n->next = free_; free_ = n; }
};
static Pool pool;
struct Book { Node *at[4]; Node *best; };
__attribute__((noinline)) static void add(Book &b, int i, const char *name, long v) {
    Node *n = pool.take();
    n->name = name;
    n->value = v;
    b.at[i] = n;
    if (!b.best || b.best->value < v) b.best = n;
}
__attribute__((noinline)) static void drop(Book &b, int i) {
    pool.give(b.at[i]); // told: released-early
    b.at[i] = nullptr;
}
__attribute__((noinline)) static Node *spare() {
    return pool.take();
}
__attribute__((noinline)) static size_t show(Book &b) { return strlen(b.best->name); }
int main(int argc, char **) {
    Book b{};
    for (int i = 0; i < 4; i++) add(b, i, i % 2 ? "odd" : "even", i * argc);
    printf("%zu\n", show(b));
    drop(b, 3);
    Node *s = spare();
    printf("%p\n", (void *)s);
    printf("%zu\n", show(b));
}
"""

# A call left by a jump, and gave a member on: what it was given is not what failed.
LEFT_BY_A_JUMP_WITH_ITS_MEMBER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct note { struct note *next; const char *text; long stars; };
static struct note *spare;
struct desk { int notes; struct note *best; };
static struct note *note_new(const char *text, long stars) {
    struct note *n = spare;
    if (n)
        spare = n->next;
    else
        n = malloc(sizeof *n);
    n->text = text;
    n->stars = stars;
    return n;
}
__attribute__((noinline)) static void add(struct desk *d, const char *text, long stars) {
    struct note *n = note_new(text, stars);
    d->notes++;
    if (!d->best || d->best->stars < stars)
        d->best = n;
}
__attribute__((noinline)) static size_t length(struct desk *d) { return strlen(d->best->text); }
int main(int argc, char **argv) {
    struct desk d = {0, NULL};
    add(&d, "first", 1);
    add(&d, "second", 2 * argc);
    printf("%zu\n", length(&d));
    add(&d, argc > 1 ? argv[1] : NULL, 5);
    printf("%zu of %d\n", length(&d), d.notes);
    return 0;
}
"""

# What snprintf wrote it had room for, as it was told: who reckoned the room wrapped it.
PRINTED_BEYOND_ITS_ROOM = r"""
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct builder { size_t used, room; char *text; struct builder *parent; };

static struct builder *builder_new(size_t room, struct builder *parent)
{
    struct builder *b = malloc(sizeof *b);
    b->used = 0;
    b->room = room;
    b->text = malloc(room);
    b->parent = parent;
    return b;
}

static void append(struct builder *b, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(b->text + b->used, b->room - b->used, format, list);
    va_end(list);
    b->used += (size_t)n;
}

static int depth(const struct builder *b)
{
    int n = 0;
    for (; b; b = b->parent)
        n++;
    return n;
}

int main(void)
{
    struct builder *outer = builder_new(64, NULL);
    struct builder *inner = builder_new(40, outer);
    struct builder *third = builder_new(40, inner);
    for (int i = 0; i < 12; i++)
        append(inner, "item %d of the list, ", i);
    append(outer, "%d", depth(third));
    printf("%s %d\n", outer->text, depth(third));
    free(third->text);
    free(third);
    return 0;
}
"""

# A callback erased the entry that it was called of: who filled its memory since wrote to his own.
ERASED_BY_ITS_CALLBACK = r"""
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
struct Timer { std::function<void(int)> fn; std::string name; int left; };
static std::map<int, Timer> timers;
static char *filler;
static void cancel(int id) {
    timers.erase(id);
}
static void tick() {
    for (auto it = timers.begin(); it != timers.end(); ++it) {
        auto &t = it->second;
        if (--t.left <= 0) {
            t.fn(it->first);
            filler = new char[sizeof(std::map<int, Timer>::value_type) + 32];
            std::memset(filler, 0x77, sizeof(std::map<int, Timer>::value_type) + 32);
            std::printf("%s done\n", t.name.c_str());
        }
    }
}
int main() {
    timers[1] = {[](int) {}, "one", 5};
    timers[9] = {[](int) {}, "nine", 9};
    cancel(9);
    timers[2] = {[](int id) { cancel(id); }, "two", 2};
    for (int i = 0; i < 4; i++) tick();
    return 0;
}
"""

# One statement destroyed a box that led to itself: who made it so is to blame.
DESTROYED_ITS_OWN_RING = r"""
use std::ptr;
struct Message { text: String, urgent: bool, next: Option<Box<Message>> }
struct Queue { head: Option<Box<Message>>, tail: *mut Message }
impl Queue {
    fn push(&mut self, text: &str, urgent: bool) {
        let mut new = Box::new(Message { text: text.to_string(), urgent, next: None });
        let raw: *mut Message = &mut *new;
        if self.tail.is_null() {
            self.head = Some(new);
        } else {
            unsafe { (*self.tail).next = Some(new) };
        }
        self.tail = raw;
    }
    fn urgent(&mut self) -> usize {
        let mut count = 0;
        let mut at = &mut self.head;
        while let Some(one) = at {
            if one.urgent {
                *at = one.next.take();
                count += 1;
            } else {
                at = &mut at.as_mut().unwrap().next;
            }
        }
        count
    }
}
fn main() {
    let mut q = Queue { head: None, tail: ptr::null_mut() };
    q.push("the first message of the day", false);
    q.push("fire in the kitchen", true);
    println!("{} urgent", q.urgent());
    q.push("all is well again", false);
    q.push("and so to bed", false);
    println!("{}", q.head.map_or(0, |one| one.text.len()));
}
"""

# A list that had one pointer twice was emptied: who put it there once more is to blame.
OWNED_TWICE_IN_A_LIST = r"""
#include <cstdio>
#include <memory>
#include <string>
#include <vector>
struct Listener {
    std::string name;
    std::vector<int> seen;
    explicit Listener(std::string n) : name(std::move(n)), seen(20, 1) {}
    void hear(int v) { seen.push_back(v); }
};
class Hub {
    std::vector<std::unique_ptr<Listener>> all_;
    Listener *first_ = nullptr;
public:
    void add(Listener *l) {
        all_.emplace_back(l);
        if (!first_)
            first_ = l;
    }
    void again() { all_.emplace_back(first_); }
    void tell(int v) {
        for (auto &l : all_)
            l->hear(v);
    }
    void close() {
        all_.clear();
        puts("closed");
    }
};
int main(int argc, char **) {
    Hub hub;
    hub.add(new Listener("the first of the listeners"));
    hub.add(new Listener("a second one, also with a long name"));
    hub.tell(argc);
    hub.again();
    hub.tell(2);
    hub.close();
}
"""

# Written over by a pointer that is moved on, into a block that was given out again: since when
# it leads there is not known.
WRITTEN_THROUGH_A_WINDOW = r"""
#include <cstdio>
#include <span>
#include <string>
#include <vector>
struct Track {
    std::vector<short> samples;
    void record(int n) {
        for (int i = 0; i < n; i++) samples.push_back((short)(i * 37 % 101));
    }
};
struct Note { Note *next; std::string text; };
static void louder(std::span<short> live, int by) {
    for (auto &one : live) one = (short)(one * by);
}
static size_t letters(const Note *n) {
    size_t sum = 0;
    for (; n; n = n->next) sum += n->text.size() + (unsigned char)n->text[0];
    return sum;
}
int main(int argc, char **) {
    Track t;
    t.record(10);
    std::span<short> live(t.samples);
    louder(live, 3 * argc);
    t.record(60);
    Note *notes = nullptr;
    for (int i = 0; i < 4; i++) notes = new Note{notes, "n" + std::to_string(i)};
    louder(live, 3);
    printf("%zu\n", letters(notes));
}
"""

# An element before the first one was counted up, which was a pointer: it leads beside its
# object.
COUNTED_IN_A_POINTER = r"""
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>
struct Sink {
    virtual ~Sink() = default;
    virtual void line(const std::string &s) { puts(s.c_str()); }
};
class Histogram {
    std::string name_;
    Sink *sink_;
    std::array<long, 8> bucket_{};
public:
    Histogram(std::string name, Sink *sink) : name_(std::move(name)), sink_(sink) {}
    void add(double ms) {
        int s = (int)std::floor(std::log2(ms));
        bucket_[s > 7 ? 7 : s]++; // told: written
    }
    void show() const { sink_->line(name_ + " " + std::to_string(bucket_[0])); }
};
int main(int argc, char **) {
    Sink sink;
    std::vector<std::unique_ptr<Histogram>> all;
    for (const char *name : {"read", "write"})
        all.push_back(std::make_unique<Histogram>(name, &sink));
    for (auto &h : all) {
        h->add(4.5);
        h->show();
    }
    all[1]->add(0.75 / argc);
    for (auto &h : all) h->show();
}
"""

# Who ends an object through its table has it end as one of an abstract class, whose table tells
# of no destructor.
ENDED_AS_OF_AN_ABSTRACT_CLASS = r"""
#include <cstdio>
#include <memory>
#include <string>
#include <vector>
class Shape {
public:
    Shape(std::string name, int x) : name_(std::move(name)), x_(x) {}
    virtual ~Shape() = default;
    virtual double area() const = 0;
    const std::string &name() const { return name_; }
    int at() const { return x_; }
private:
    std::string name_;
    int x_;
};
class Box : public Shape {
    double w_, h_;
public:
    Box(std::string n, int x, double w, double h) : Shape(std::move(n), x), w_(w), h_(h) {}
    double area() const override { return w_ * h_; }
};
class Scene {
    std::vector<std::unique_ptr<Shape>> shapes_;
public:
    void add(std::unique_ptr<Shape> s) { shapes_.push_back(std::move(s)); }
    Shape *pick(int x) {
        for (auto &s : shapes_)
            if (s->at() == x) return s.get();
        return nullptr;
    }
    void remove(const std::string &name) {
        for (size_t i = 0; i < shapes_.size(); i++)
            if (shapes_[i]->name() == name) {
                shapes_.erase(shapes_.begin() + i); // told: freed
                return;
            }
    }
};
struct Label { char text[48]; long number; };
class Editor {
    Scene scene_;
    Shape *selected_ = nullptr;
    std::vector<std::unique_ptr<Label>> log_;
    void note(const char *what) {
        auto l = std::make_unique<Label>();
        snprintf(l->text, sizeof l->text, "%s the %zuth time in all, from here", what, log_.size());
        log_.push_back(std::move(l));
    }
public:
    Scene &scene() { return scene_; }
    void click(int x) { selected_ = scene_.pick(x); note("click"); }
    void erase(const std::string &name) { scene_.remove(name); note("erase"); }
    double status() const { return selected_ ? selected_->area() : 0; }
};
int main(int argc, char **) {
    Editor e;
    e.scene().add(std::make_unique<Box>("sun", 0, 2.0, argc));
    e.scene().add(std::make_unique<Box>("house", 20, 4, 5));
    e.scene().add(std::make_unique<Box>("door", 40, 1, 2));
    e.click(20);
    e.erase("sun");
    printf("%.2f\n", e.status());
    e.erase("house");
    printf("%.2f\n", e.status());
}
"""

# A list that grew had its pointers copied by a loop that became a call of the C library's, in
# what was inlined.
CARRIED_BY_A_COPY_IN_LINE = r"""
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>
struct Stage {
    std::string name;
    int by;
    Stage(std::string n, int b) : name(std::move(n)), by(b) {}
    int apply(int v) const { return v * by + 1; }
};
using Owned = std::unique_ptr<Stage>;
class Pipeline {
    std::vector<Owned> stages_;
public:
    void append(const char *name, int by) { stages_.push_back(std::make_unique<Stage>(name, by)); }
    void promote(const std::string &name) {
        auto it = std::find_if(stages_.begin(), stages_.end(),
                               [&](const Owned &s) { return s && s->name == name; });
        if (it == stages_.end()) return;
        Owned urgent = std::move(*it); // told: cleared
        stages_.insert(stages_.begin(), std::move(urgent));
    }
    int run(int v) const {
        for (const auto &s : stages_) v = s->apply(v);
        return v;
    }
};
int main(int argc, char **) {
    Pipeline p;
    for (const char *name : {"add", "scale", "clamp", "shift"}) p.append(name, argc + 1);
    printf("%d\n", p.run(2));
    p.promote("clamp");
    printf("%d\n", p.run(2));
}
"""

# An address with a mark was followed: what stands beside was no pointer's, and who stored there
# did right.
MARKED_AND_FOLLOWED = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; const char *name; };
static struct node *tagged(struct node *n) { return (struct node *)((uintptr_t)n | 1); }
static void retire(struct node *n) { n->next = tagged(n->next); }
static size_t lengths(struct node *n) {
    size_t sum = 0;
    while (n) {
        sum += (size_t)n->name[0];
        n = n->next;
    }
    return sum;
}
int main(int argc, char **argv) {
    struct node *list = NULL;
    for (int i = 0; i < 4; i++) {
        struct node *n = malloc(sizeof *n);
        n->next = list;
        n->name = "name";
        list = n;
    }
    printf("%zu\n", lengths(list));
    retire(list->next);
    printf("%zu\n", lengths(list));
    (void)argc, (void)argv;
}
"""

# Released by a pointer that its owner had before that moved: who moved it.
RELEASED_BY_A_MOVED_OWNER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry { char *key, *value; };
struct section { char name[24]; struct entry *entries; int n; };
struct config { struct section *sections; int n, room; struct section *current; };

static struct section *add_section(struct config *c, const char *name)
{
    if (c->n == c->room) {
        c->room += 2;
        c->sections = realloc(c->sections, c->room * sizeof *c->sections); /* told */
    }
    struct section *s = &c->sections[c->n++];
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    return s;
}

static void add_entry(struct section *s, const char *key, const char *value)
{
    s->entries = realloc(s->entries, (s->n + 1) * sizeof *s->entries);
    s->entries[s->n].key = strdup(key);
    s->entries[s->n].value = strdup(value);
    s->n++;
}

static void parse(struct config *c, const char *text)
{
    char line[80];
    struct section *defaults = NULL;
    while (*text) {
        int n = (int)strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", n, text);
        text += n + (text[n] == '\n');
        char *eq = strchr(line, '=');
        if (line[0] == '[') {
            line[strlen(line) - 1] = 0;
            c->current = add_section(c, line + 1);
            if (!strcmp(c->current->name, "defaults"))
                defaults = c->current;
        } else if (eq) {
            *eq = 0;
            add_entry(c->current, line, eq + 1);
            if (line[0] == '+' && defaults)
                add_entry(defaults, line + 1, eq + 1);
        }
    }
}

int main(void)
{
    struct config c = {0};
    parse(&c, "[defaults]\na=1\nb=2\n[net]\nport=80\n[disk]\npath=/tmp\n[user]\nname=x\n"
              "[log]\n+level=3\nfile=y\n");
    for (int i = 0; i < c.n; i++) {
        printf("[%s]\n", c.sections[i].name);
        for (int j = 0; j < c.sections[i].n; j++)
            printf("%s=%s\n", c.sections[i].entries[j].key, c.sections[i].entries[j].value);
    }
    return 0;
}
"""

# A stack's top that was taken back too often, and where it led to then.
STEPPED_ON_AND_BACK = r"""
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct stack { double *base, *top, *end; };
struct machine { struct stack values; char ops[32]; int nops; const char *at; };

static void push(struct stack *s, double v)
{
    if (s->top == s->end) {
        size_t n = s->end - s->base;
        s->base = realloc(s->base, (n ? 2 * n : 8) * sizeof(double));
        s->top = s->base + n;
        s->end = s->base + (n ? 2 * n : 8);
    }
    *s->top++ = v;
}

static double pop(struct stack *s) { return *--s->top; }

static int prec(char op) { return op == '(' ? 0 : op == '+' || op == '-' ? 1 : op == '~' ? 3 : 2; }

static void apply(struct machine *m)
{
    char op = m->ops[--m->nops];
    double b = pop(&m->values);
    double a = pop(&m->values);
    switch (op) {
    case '+': push(&m->values, a + b); break;
    case '-': push(&m->values, a - b); break;
    case '*': push(&m->values, a * b); break;
    case '/': push(&m->values, a / b); break;
    case '~': push(&m->values, -b); break;
    }
}

static double evaluate(struct machine *m, const char *text)
{
    int operand = 1;
    m->at = text;
    while (*m->at) {
        char c = *m->at++;
        if (isdigit((unsigned char)c)) { push(&m->values, c - '0'); operand = 0; }
        else if (c == '(') { m->ops[m->nops++] = c; operand = 1; }
        else if (c == ')') {
            while (m->ops[m->nops - 1] != '(') apply(m);
            m->nops--;
            operand = 0;
        } else if (c != ' ') {
            if (operand && c == '-') c = '~';
            while (m->nops && prec(m->ops[m->nops - 1]) >= prec(c) && c != '~') apply(m);
            m->ops[m->nops++] = c;
            operand = 1;
        }
    }
    while (m->nops) apply(m);
    return pop(&m->values);
}

int main(void)
{
    struct machine m = {0};
    printf("%g\n", evaluate(&m, "1+2*(3-4)"));
    printf("%g\n", evaluate(&m, "-5+6"));
    printf("%g\n", evaluate(&m, "-(1+2)*-3"));
    for (int i = 0; i < 3; i++) printf("%g\n", evaluate(&m, "-7-8"));
    free(m.values.base);
    return 0;
}
"""

# Null before the first of a list belongs there: who kept the last one is to blame.
FIRST_OF_ITS_LIST = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item { int key; char *value; struct item *prev, *next; };
struct cache { struct item *head, *tail; int n, limit; };

static void unlink_item(struct cache *c, struct item *i)
{
    if (i->prev) i->prev->next = i->next; else c->head = i->next;
    if (i->next) i->next->prev = i->prev;
}

static void push_front(struct cache *c, struct item *i)
{
    i->prev = NULL;
    i->next = c->head;
    if (c->head) c->head->prev = i; else c->tail = i;
    c->head = i;
}

static struct item *lookup(struct cache *c, int key)
{
    for (struct item *i = c->head; i; i = i->next)
        if (i->key == key) {
            unlink_item(c, i);
            push_front(c, i);
            return i;
        }
    return NULL;
}

static void evict(struct cache *c)
{
    struct item *old = c->tail;
    c->tail = old->prev;
    c->tail->next = NULL;
    free(old->value);
    free(old);
    c->n--;
}

static void put(struct cache *c, int key, const char *value)
{
    struct item *i = lookup(c, key);
    if (i) { free(i->value); i->value = strdup(value); return; }
    if (c->n == c->limit) evict(c);
    i = malloc(sizeof *i);
    i->key = key;
    i->value = strdup(value);
    push_front(c, i);
    c->n++;
}

int main(void)
{
    struct cache c = {NULL, NULL, 0, 3};
    put(&c, 1, "one"); put(&c, 2, "two"); put(&c, 3, "three");
    put(&c, 4, "four");
    printf("%s\n", lookup(&c, 2)->value);
    put(&c, 5, "five");
    printf("%s\n", lookup(&c, 4) ? "yes" : "no");
    return 0;
}
"""

# Below zero is only a part of the sum, which a compiler added up in an order of its own.
SUM_IN_ANOTHER_ORDER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gap { char *buf; size_t size, start, end; };
struct mark { struct gap *g; size_t at; struct mark *next; };

static struct gap *gap_new(size_t size)
{
    struct gap *g = malloc(sizeof *g);
    g->buf = malloc(size);
    g->size = size;
    g->start = 0;
    g->end = size;
    return g;
}

static void grow(struct gap *g, size_t need)
{
    size_t tail = g->size - g->end, size = g->size * 2 + need;
    g->buf = realloc(g->buf, size);
    memmove(g->buf + size - tail, g->buf + g->end, tail);
    g->end = size - tail;
    g->size = size;
}

static void move_to(struct gap *g, size_t at)
{
    if (at < g->start) {
        size_t n = g->start - at;
        memmove(g->buf + g->end - n, g->buf + at, n);
        g->end -= n;
    } else {
        size_t n = at - g->start;
        memmove(g->buf + g->start, g->buf + g->end, n);
        g->end += n;
    }
    g->start = at;
}

static void insert(struct gap *g, const char *text)
{
    size_t n = strlen(text);
    if (g->end - g->start < n) grow(g, n);
    memcpy(g->buf + g->start, text, n);
    g->start += n;
}

static void erase(struct gap *g, size_t n)
{
    g->end += n;
}

static size_t length(const struct gap *g) { return g->size - (g->end - g->start); }

int main(void)
{
    struct gap *g = gap_new(16);
    insert(g, "hello world");
    move_to(g, 5);
    insert(g, ", wide and blue");
    erase(g, 200000);
    printf("%zu\n", length(g));
    move_to(g, 3);
    insert(g, "!");
    printf("%.*s\n", (int)g->start, g->buf);
    return 0;
}
"""

# Pages that nobody was ever to have, by who mapped them.
GUARDED_FROM_THE_FIRST = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct pool { uint64_t *used; size_t pages, words; unsigned char *base; };

static struct pool *pool_new(size_t pages)
{
    struct pool *p = malloc(sizeof *p);
    p->pages = pages;
    p->words = (pages + 63) / 64;
    p->used = calloc(p->words, 8);
    p->base = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(p->base + (pages - 1) * 4096, 4096, PROT_NONE);
    p->pages = pages - 1;
    return p;
}

static unsigned char *page_get(struct pool *p)
{
    for (size_t w = 0; w < p->words; w++)
        if (~p->used[w]) {
            int bit = __builtin_ctzll(~p->used[w]);
            p->used[w] |= 1ull << bit;
            return p->base + (w * 64 + bit) * 4096; /* told: computed */
        }
    return NULL;
}

struct buf { unsigned char *page; int n; };

static int fill(struct buf *b, int n)
{
    for (int i = 0; i < n; i++)
        b->page[i] = i;
    return b->n = n;
}

int main(void)
{
    struct pool *p = pool_new(9);
    struct buf bufs[12];
    int total = 0;
    for (int i = 0; i < 12; i++) {
        bufs[i].page = page_get(p);
        if (!bufs[i].page) break;
        total += fill(&bufs[i], 100);
    }
    printf("%d\n", total);
    return 0;
}
"""

# Where its constructor is inlined, too: what had been there before was another's.
MADE_IN_EACH_ROUND_WITHOUT_A_CALL = MADE_IN_EACH_ROUND_BY_ITSELF

# A function's address copied from where it was set for good afterwards, by a call of its own.
HOOKED_BEFORE_THEY_WERE_SET = r"""
#include <stdio.h>
#include <stdlib.h>

struct codec { int (*open)(int); int (*close)(int); };
struct stream { const char *name; struct codec codec; int level; };
static struct stream *streams[8];
static int used;
static struct codec plain;

static int up(int level) { return level + 1; }
static int down(int level) { return level - 1; }

static void set_up_codecs(void)
{
    plain.open = up;
    plain.close = down;
}

static struct stream *add_stream(const char *name, int level)
{
    struct stream *s = malloc(sizeof *s);
    s->name = name;
    s->level = level;
    s->codec = plain; /* told: read-early */
    streams[used++] = s;
    return s;
}

static int open_all(int level)
{
    for (int i = 0; i < used; i++)
        level = streams[i]->codec.open(level) * streams[i]->level;
    return level;
}

int main(void)
{
    struct stream *first = add_stream("first", 2);
    set_up_codecs();
    add_stream("second", 3);
    printf("%s %d\n", first->name, open_all(5));
    return 0;
}
"""

# An element in front of its array, to which a function of its own leads.
LED_IN_FRONT_BY_A_FUNCTION = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 16
struct entry { char *text; int level; };
struct journal { struct entry entries[ROOM]; signed char newest; int total; };

static void note(struct journal *j, int level, const char *text)
{
    struct entry *e = &j->entries[(unsigned)j->total % ROOM];
    free(e->text);
    e->text = strdup(text);
    e->level = level;
    j->total++;
    j->newest++; /* told: truncated */
}

static const struct entry *back(const struct journal *j, int by)
{
    int at = (j->newest - 1 - by) % ROOM;
    return &j->entries[at];
}

static size_t longest(const struct journal *j)
{
    size_t most = 0;
    for (int i = 0; i < ROOM && i < j->total; i++) {
        const struct entry *e = back(j, i);
        size_t n = strlen(e->text);
        if (n > most && e->level < 9) most = n;
    }
    return most;
}

int main(void)
{
    struct journal *j = calloc(1, sizeof *j);
    char text[64];
    for (int i = 0; i < 141; i++) {
        snprintf(text, sizeof text, "entry %d", i);
        note(j, i % 4, text);
    }
    printf("%zu\n", longest(j));
    return 0;
}
"""

# A row's length that its member has no room for.
LED_AWAY_BY_A_SHORT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plane { unsigned short wide, high; short pitch; unsigned char *bytes; };

static struct plane *plane(int wide, int high)
{
    struct plane *p = malloc(sizeof *p);
    p->wide = wide;
    p->high = high;
    p->pitch = (wide * 4 + 31) & ~31; /* told: truncated */
    p->bytes = calloc((size_t)high, (wide * 4 + 31) & ~31);
    return p;
}

static unsigned char *pixel(const struct plane *p, int x, int y)
{
    return p->bytes + y * p->pitch + x * 4;
}

static void fill(struct plane *p, int value)
{
    for (int y = 0; y < p->high; y++)
        for (int x = 0; x < p->wide; x++)
            memset(pixel(p, x, y), value, 4);
}

int main(void)
{
    struct plane *small = plane(500, 30), *large = plane(8800, 50);
    fill(small, 1);
    fill(large, 2);
    printf("%d\n", pixel(large, 9, 9)[1] + small->wide);
    return 0;
}
"""

# A pixel that lies below where its rows begin, as it is meant to in a picture that stands on its
# head.
LED_DOWN_ON_PURPOSE = r"""
#include <stdio.h>
#include <stdlib.h>

struct picture { int wide, high; short pitch; unsigned char *top, *bytes; };

static struct picture *picture(int wide, int high)
{
    struct picture *p = malloc(sizeof *p);
    p->wide = wide;
    p->high = high;
    p->pitch = -(wide * 4);
    p->bytes = calloc(high, wide * 4);
    p->top = p->bytes + (high - 1) * wide * 4;
    return p;
}

static unsigned char *pixel(const struct picture *p, int x, int y)
{
    return p->top + y * p->pitch + x * 4;
}

int main(int count, char **words)
{
    struct picture *p = picture(200, 300 + count);
    for (int y = 0; y < 3000; y++)
        for (int x = 0; x < p->wide; x++)
            pixel(p, x, y)[1] = 7;
    printf("%d\n", p->bytes[3] + (words == NULL));
    return 0;
}
"""

# A count that became more than its array was made for, by which a pointer was read behind it.
SAID_TO_HAVE_MORE_ROWS = r"""
#include <stdio.h>
#include <stdlib.h>

struct table { int rows, columns; double **row; };

static struct table *make(int rows, int columns)
{
    struct table *t = malloc(sizeof *t);
    t->rows = rows;
    t->columns = columns;
    t->row = malloc(rows * sizeof *t->row);
    for (int i = 0; i < rows; i++)
        t->row[i] = calloc(columns, sizeof **t->row);
    return t;
}

static struct table *turned(const struct table *t)
{
    struct table *to = make(t->columns, t->rows);
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < t->columns; j++)
            to->row[j][i] = t->row[i][j];
    to->rows = t->rows; /* told */
    return to;
}

static double sum(const struct table *t)
{
    double total = 0;
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < 2; j++)
            total += t->row[i][j];
    return total;
}

int main(void)
{
    struct table *t = make(700, 3);
    for (int i = 0; i < 700; i++)
        t->row[i][i % 3] = i;
    printf("%g\n", sum(t));
    printf("%g\n", sum(turned(t)));
    return 0;
}
"""

# A text that ran over the address of a function, in an object that who calls it had had filled.
FILLED_OVER_ITS_FUNCTION = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct packet { uint8_t data[512]; size_t len; };
struct name { char text[64]; uint8_t used; };
struct record { struct name name; int (*show)(const struct record *); int type; };

static void put(struct name *n, const uint8_t *part, int len)
{
    memcpy(n->text + n->used, part, len); /* told */
    n->used += len;
    n->text[n->used++] = '.';
}

static void read_name(const struct packet *p, size_t at, struct name *out)
{
    while (p->data[at]) {
        put(out, p->data + at + 1, p->data[at]);
        at += p->data[at] + 1;
    }
}

static int show(const struct record *r) { return printf("%s\n", r->name.text); }

static size_t part(struct packet *p, const char *text)
{
    size_t at = p->len, n = strlen(text);
    p->data[p->len++] = n;
    memcpy(p->data + p->len, text, n);
    p->len += n;
    return at;
}

int main(void)
{
    struct packet *p = calloc(1, sizeof *p);
    size_t host = part(p, "example");
    p->data[p->len++] = 0;
    size_t second = part(p, "a-rather-long-part-of-a-host-in-a-rack");
    part(p, "another-long-part-of-the-same-data-centre");
    p->data[p->len++] = 0;
    struct record *r = calloc(2, sizeof *r);
    r[0].show = r[1].show = show;
    read_name(p, host, &r[0].name);
    r[0].show(&r[0]);
    read_name(p, second, &r[1].name);
    r[1].show(&r[1]);
    return 0;
}
"""

# A node that its chain still led to when its memory was given out again: put in once more, it makes
# rings, one after another.
STILL_IN_ITS_CHAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 8
struct node { char key[16]; char *value; struct node *chain, *newer, *older; };
struct cache { struct node *buckets[BUCKETS], *newest, *oldest; int size, room; };

static unsigned slot(const char *key)
{
    unsigned h = 5381;
    while (*key) h = h * 33 + (unsigned char)*key++;
    return h % BUCKETS;
}

static void unlink_use(struct cache *c, struct node *n)
{
    if (n->newer) n->newer->older = n->older; else c->newest = n->older;
    if (n->older) n->older->newer = n->newer; else c->oldest = n->newer;
    n->newer = n->older = NULL;
}

static void push_use(struct cache *c, struct node *n)
{
    n->older = c->newest;
    if (c->newest) c->newest->newer = n; else c->oldest = n;
    c->newest = n;
}

static void evict(struct cache *c)
{
    struct node *n = c->oldest;
    unsigned at = slot(n->key);
    if (c->buckets[at] == n)
        c->buckets[at] = n->chain;
    unlink_use(c, n);
    free(n->value);
    free(n); /* told: freed */
    c->size--;
}

static const char *get(struct cache *c, const char *key)
{
    for (struct node *n = c->buckets[slot(key)]; n; n = n->chain)
        if (!strcmp(n->key, key)) {
            unlink_use(c, n);
            push_use(c, n);
            return n->value;
        }
    return NULL;
}

static void put(struct cache *c, const char *key, const char *value)
{
    if (c->size == c->room) evict(c);
    struct node *n = calloc(1, sizeof *n);
    snprintf(n->key, sizeof n->key, "%s", key);
    n->value = strdup(value);
    n->chain = c->buckets[slot(key)];
    c->buckets[slot(key)] = n;
    push_use(c, n);
    c->size++;
}

int main(void)
{
    struct cache c = {{0}, NULL, NULL, 0, 12};
    char key[16], value[300];
    for (int i = 0; i < 60; i++) {
        snprintf(key, sizeof key, "k%d", i);
        memset(value, 'a' + i % 26, sizeof value - 1);
        value[sizeof value - 1 - i] = 0;
        put(&c, key, value);
        for (int j = 0; j < i; j += 5) {
            snprintf(key, sizeof key, "k%d", j);
            const char *v = get(&c, key);
            if (v && v[0] == '!') puts(v);
        }
    }
    printf("%d\n", c.size);
    return 0;
}
"""

# A link that a text was written over byte by byte, which made it lead astray with its first one.
PRINTED_OVER_ITS_LINK = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape { int kind; char label[20]; struct shape *next; double x, y; };
static struct shape *shapes;

static struct shape *add(int kind, double x, double y)
{
    struct shape *s = calloc(1, sizeof *s);
    s->kind = kind;
    s->x = x;
    s->y = y;
    s->next = shapes;
    shapes = s;
    return s;
}

static void name(struct shape *s, const char *what)
{
    sprintf(s->label, "%s at %.1f,%.1f", what, s->x, s->y); /* told */
}

static double area(void)
{
    double sum = 0;
    for (struct shape *s = shapes; s; s = s->next)
        sum += s->kind * s->x * s->y;
    return sum;
}

int main(void)
{
    name(add(1, 2, 3), "box");
    name(add(2, 1, 1), "disc");
    name(add(3, 100.5, 200.25), "triangle");
    name(add(1, 4, 4), "dot");
    printf("%g\n", area());
    return 0;
}
"""

# A slot that is cleared right behind its being read, in a loop: whoever put less there, or came for
# more, is to blame.
CLEARED_WHERE_IT_WAS_TAKEN = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 200
struct packet { int id; char *text; };
struct queue { struct packet *slots[SLOTS]; uint8_t in, out; int held; };

static int put(struct queue *q, struct packet *p)
{
    if (q->held == SLOTS) return -1;
    q->slots[q->in % SLOTS] = p;
    q->in++;
    q->held++;
    return 0;
}

static struct packet *get(struct queue *q)
{
    if (!q->held) return NULL;
    struct packet *p = q->slots[q->out];
    q->slots[q->out] = NULL;
    q->out = (q->out + 1) % SLOTS;
    q->held--;
    return p;
}

static struct packet *packet(int id)
{
    struct packet *p = malloc(sizeof *p);
    p->id = id;
    p->text = malloc(24);
    snprintf(p->text, 24, "packet %d", id);
    return p;
}

int main(void)
{
    struct queue *q = calloc(1, sizeof *q);
    size_t bytes = 0;
    for (int i = 0; i < 700; i++) {
        put(q, packet(i));
        if (i % 3 == 2)
            for (int j = 0; j < 3; j++) {
                struct packet *p = get(q);
                bytes += strlen(p->text);
                free(p->text);
                free(p);
            }
    }
    printf("%zu\n", bytes);
    return 0;
}
"""

# A pointer that a function gave, into a block that malloc had mapped for itself and unmapped since.
KEPT_FROM_A_TEXT_THAT_WENT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair { const char *name, *value; };
struct settings { char *text; struct pair pairs[32]; int n; };
struct logger { const char *prefix; const char *level; FILE *to; };

static void parse(struct settings *s)
{
    s->n = 0;
    for (char *line = strtok(s->text, "\n"); line; line = strtok(NULL, "\n")) {
        char *eq = strchr(line, '=');
        if (!eq) continue;
        *eq = 0;
        s->pairs[s->n].name = line;
        s->pairs[s->n].value = eq + 1;
        s->n++;
    }
}

static const char *value(const struct settings *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->pairs[i].name, name)) return s->pairs[i].value;
    return "";
}

static void reload(struct settings *s, const char *text)
{
    free(s->text); /* told: freed */
    size_t n = strlen(text) + 1;
    s->text = malloc(n);
    memcpy(s->text, text, n);
    parse(s);
}

static void log_line(const struct logger *l, const char *text)
{
    fprintf(l->to, "%s[%s] %s\n", l->prefix, l->level, text);
}

static char *filler(size_t n, const char *tail)
{
    char *t = malloc(n + strlen(tail) + 2);
    memset(t, '#', n);
    t[n] = '\n';
    strcpy(t + n + 1, tail);
    return t;
}

int main(void)
{
    struct settings s = {0};
    char *first = filler(400000, "prefix=app: \nlevel=info\nsize=3");
    char *second = filler(200, "prefix=app2: \nlevel=debug\nsize=9");
    reload(&s, first);
    struct logger l = {value(&s, "prefix"), value(&s, "level"), stdout};
    log_line(&l, "started");
    reload(&s, second);
    log_line(&l, "reloaded");
    printf("%s\n", value(&s, "size"));
    free(first);
    free(second);
    return 0;
}
"""

# What is looked up is in the container no more: who took it out of a hash table.
TAKEN_OUT_OF_A_TABLE = r"""
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

struct Item {
    std::string name;
    int stock;
    double price;
    std::vector<int> waiting;
};

struct Line {
    std::string sku;
    int count;
};

struct Order {
    int id;
    std::vector<Line> lines;
    bool done = false;
};

class Shop {
    std::unordered_map<std::string, Item> items_;
    std::vector<Order> orders_;

public:
    void stock(const std::string &sku, const std::string &name, int n, double price) {
        items_[sku] = Item{name, n, price, {}};
    }
    int order(std::vector<Line> lines) {
        int id = (int)orders_.size() + 1;
        for (const Line &l : lines) {
            auto it = items_.find(l.sku);
            if (it == items_.end())
                return 0;
            it->second.waiting.push_back(id);
        }
        orders_.push_back({id, std::move(lines)});
        return id;
    }
    void withdraw_empty() {
        for (auto it = items_.begin(); it != items_.end();) {
            if (it->second.stock == 0)
                it = items_.erase(it); /* told: taken-out */
            else
                ++it;
        }
    }
    double ship(Order &o) {
        double sum = 0;
        for (const Line &l : o.lines) {
            Item &item = items_.find(l.sku)->second;
            int n = l.count < item.stock ? l.count : item.stock;
            item.stock -= n;
            sum += n * item.price;
        }
        o.done = true;
        return sum;
    }
    double ship_all() {
        double sum = 0;
        for (Order &o : orders_)
            if (!o.done)
                sum += ship(o);
        return sum;
    }
};

int main() {
    Shop shop;
    shop.stock("A1", "anvil", 3, 40);
    shop.stock("B2", "bucket", 9, 4.5);
    shop.stock("C3", "candle", 5, 0.8);
    shop.order({{"A1", 3}, {"B2", 2}});
    printf("%.2f\n", shop.ship_all());
    shop.order({{"C3", 1}});
    shop.order({{"B2", 1}, {"A1", 1}});
    shop.withdraw_empty();
    printf("%.2f\n", shop.ship_all());
}
"""

# The same of a tree, for the last time that it was there.
TAKEN_OUT_OF_A_TREE = r"""
#include <cstdio>
#include <map>
#include <string>
#include <vector>
struct Seat { std::string who; int row; };
struct Hall {
    std::map<int, Seat> seats;
    std::vector<int> reserved;
    void sell(int number, const char *who) { seats[number] = {who, number / 10}; }
    void cancel(int number) { seats.erase(number); }
    void move(int from, int to) {
        auto one = seats.at(from);
        seats.erase(from); /* told: taken-out */
        seats[to] = one;
    }
    int row(int number) { return seats.at(number).row; }
};
int main() {
    Hall hall;
    for (int n = 10; n < 40; n += 7) {
        hall.sell(n, "someone");
        hall.reserved.push_back(n);
    }
    hall.cancel(24);
    hall.sell(24, "another");
    hall.move(24, 25);
    hall.cancel(10);
    hall.reserved.erase(hall.reserved.begin());
    int sum = 0;
    for (int n : hall.reserved)
        sum += hall.row(n);
    printf("%d\n", sum);
}
"""

# The same of a table of Rust's, which counts an element before it stores it.
TAKEN_OUT_BY_A_MOVE = r"""
use std::collections::{HashMap, HashSet};
struct Jobs { open: HashMap<String, u32>, done: HashSet<u64> }
impl Jobs {
    fn finish(&mut self, name: &str) -> u32 {
        let n = self.open.remove(name).unwrap(); // told: taken-out
        self.done.insert(n as u64);
        n
    }
    fn weight(&self, name: &str) -> u32 { self.open[name] * 2 }
}
fn main() {
    let mut j = Jobs { open: HashMap::new(), done: HashSet::new() };
    for (i, n) in ["wash", "dry", "fold"].iter().enumerate() {
        j.open.insert(n.to_string(), i as u32 + 1);
    }
    j.finish("dry");
    j.open.insert("dry".to_string(), 9);
    println!("{}", j.weight("dry"));
    j.finish("dry");
    j.open.insert("press".to_string(), 4);
    println!("{}", j.weight("dry"));
}
"""

# Nobody took out what was never there.
NEVER_IN_ITS_TABLE = r"""
#include <cstdio>
#include <string>
#include <unordered_map>
std::unordered_map<std::string, int> ages;
static void forget(const std::string &who) { ages.erase(who); }
static int *age(const std::string &who) {
    auto it = ages.find(who);
    return &it->second;
}
int main() {
    ages["ann"] = 4; ages["bob"] = 5; ages["cyd"] = 6;
    forget("bob");
    printf("%d\n", *age("ann"));
    printf("%d\n", *age("bert"));
}
"""

# A number that led behind an array's end did so before a constant was taken from it, too.
LED_AS_FAR_BEFORE = r"""
#include <stdio.h>
struct date { int year, month, day; };
static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
static void shift(struct date *d, int by)
{
    d->month += by; /* told: computed */
    if (d->month > 12) {
        d->month -= 12;
        d->year++;
    }
}
static void print(const struct date *d, char *out, size_t n)
{
    const char *m = months[d->month - 1];
    snprintf(out, n, "%d %.3s %d", d->day, m, d->year);
}
static const char *in[] = {"2020-01-31", "2021-12-04"};
int main(void)
{
    char line[64];
    for (int i = 0; i < 2; i++) {
        struct date d;
        if (sscanf(in[i], "%d-%d-%d", &d.year, &d.month, &d.day) != 3)
            continue;
        shift(&d, i * 1200000);
        print(&d, line, sizeof line);
        puts(line);
    }
    return 0;
}
"""

# In whichever of its block's lives a text was kept, it ended with the line that moved it.
KEPT_IN_EACH_LIFE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pool { char *base; size_t used, size; };
struct lexer { struct pool names; const char **tokens; size_t count, room; };
static const char *intern(struct pool *p, const char *s, size_t n)
{
    if (p->used + n + 1 > p->size) {
        p->size = (p->used + n + 1) * 2;
        p->base = realloc(p->base, p->size); /* told: freed */
    }
    char *at = p->base + p->used;
    memcpy(at, s, n);
    at[n] = 0;
    p->used += n + 1;
    return at;
}
static void token(struct lexer *l, const char *s, size_t n)
{
    if (l->count == l->room) {
        l->room = l->room ? l->room * 2 : 8;
        l->tokens = realloc(l->tokens, l->room * 2 * sizeof *l->tokens);
    }
    l->tokens[l->count++] = intern(&l->names, s, n);
}
int main(void)
{
    struct lexer l = {0};
    char word[32];
    for (int i = 0; i < 20000; i++)
        token(&l, word, (size_t)sprintf(word, "word%d", i));
    size_t all = 0;
    for (size_t i = 0; i < l.count; i++)
        all += strlen(l.tokens[i]);
    printf("%zu\n", all);
    return 0;
}
"""

# Its object says that there is room for what is copied there: who copies had asked.
COPIED_WITH_ANOTHERS_ROOM = r"""
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
class Buffer {
    char *data;
    size_t len, cap;
public:
    explicit Buffer(size_t n) : data(new char[n]), len(0), cap(n) {}
    Buffer(const Buffer &o) : data(new char[o.len]), len(o.len), cap(o.cap) // told
    {
        memcpy(data, o.data, len);
    }
    ~Buffer() { delete[] data; }
    void append(const char *s, size_t n)
    {
        if (len + n > cap)
            grow(len + n);
        memcpy(data + len, s, n);
        len += n;
    }
    void grow(size_t n)
    {
        char *p = new char[n * 2];
        memcpy(p, data, len);
        delete[] data;
        data = p;
        cap = n * 2;
    }
};
int main()
{
    Buffer a(256);
    a.append("header", 6);
    auto b = std::make_unique<Buffer>(a);
    auto name = std::make_unique<std::string>("a name that is long enough to live on the heap");
    b->append(std::string(120, 'x').c_str(), 120);
    std::cout << *name << std::endl;
    name.reset();
    b.reset();
}
"""

# What a function says of an object is right as long as nobody makes the object wrong.
SAID_OF_A_WRONG_OBJECT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct gap { char *text; size_t size, start, end; };
static void gap_move(struct gap *g, size_t to)
{
    if (to < g->start) {
        size_t n = g->start - to;
        memmove(g->text + g->end - n, g->text + to, n);
        g->start -= n;
        g->end -= n;
    } else {
        size_t n = to - g->start;
        memmove(g->text + g->start, g->text + g->end, n);
        g->start += n;
        g->end += n;
    }
}
static void gap_insert(struct gap *g, const char *s)
{
    size_t n = strlen(s);
    if (n > g->end - g->start)
        return;
    memcpy(g->text + g->start, s, n);
    g->start += n;
}
static void gap_delete(struct gap *g, size_t n) { g->end += n; }
static size_t gap_length(const struct gap *g) { return g->size - (g->end - g->start); }
int main(void)
{
    struct gap g = {malloc(64), 64, 0, 64};
    gap_insert(&g, "abcabcabcabc");
    gap_move(&g, 6);
    gap_delete(&g, 4);
    gap_move(&g, 2);
    gap_delete(&g, 20);
    gap_move(&g, gap_length(&g));
    printf("%.*s\n", (int)gap_length(&g), g.text);
    return 0;
}
"""

# A null that a line gives back of itself, where nothing else of that line goes on.
GIVEN_BACK_IN_ITS_LINE = r"""
#include <cctype>
#include <iostream>
#include <string>
struct Expr {
    char op;
    double value;
    Expr *l = nullptr, *r = nullptr;
};
struct Parser {
    const std::string &s;
    size_t at = 0;
    explicit Parser(const std::string &t) : s(t) {}
    Expr *number()
    {
        if (at >= s.size() || !isdigit((unsigned char)s[at])) return nullptr; // told: returned
        double v = 0;
        while (at < s.size() && isdigit((unsigned char)s[at])) v = v * 10 + (s[at++] - '0');
        return new Expr{'n', v};
    }
    Expr *term()
    {
        Expr *e = number();
        while (at < s.size() && s[at] == '*') {
            char op = s[at++];
            e = new Expr{op, 0, e, number()};
        }
        return e;
    }
};
static double eval(const Expr *e) { return e->op == 'n' ? e->value : eval(e->l) * eval(e->r); }
int main()
{
    for (std::string s : {"1*2*3", "8*2", "7*3*+2"})
        std::cout << eval(Parser(s).term()) << std::endl;
}
"""

# A part of a function that the compiler made one of its own released it, and left by a jump.
RELEASED_IN_A_PART = r"""
#include <iostream>
#include <list>
#include <string>
#include <unordered_map>
template <class K, class V> class Lru {
    std::list<std::pair<K, V>> order;
    std::unordered_map<K, typename std::list<std::pair<K, V>>::iterator> where;
    size_t room;
public:
    explicit Lru(size_t n) : room(n) {}
    V *get(const K &k)
    {
        auto it = where.find(k);
        if (it == where.end()) return nullptr;
        order.splice(order.begin(), order, it->second);
        return &it->second->second;
    }
    void put(const K &k, V v)
    {
        if (V *old = get(k)) { *old = std::move(v); return; }
        order.emplace_front(k, std::move(v));
        where[k] = order.begin();
        if (order.size() > room)
            order.pop_back();
    }
};
int main()
{
    Lru<int, std::string> cache(3);
    for (int i = 0; i < 6; i++)
        cache.put(i % 5, "value number " + std::to_string(i) + " with some more text");
    for (int i = 0; i < 5; i++)
        if (auto *s = cache.get(i))
            std::cout << i << " " << s->size() << " " << *s << "\n";
    cache.put(9, "nine is long enough to be on the heap");
    cache.put(0, "zero again, and long enough as well to be on the heap");
}
"""

# Null as each comparison in front of it found it: nothing was cleared there.
FOUND_NULL_IN_TWO_WAYS = r"""
#include <stdio.h>
#include <string.h>
struct cls { int is_static, length; const char *name; };
struct compiler { struct compiler *parent; struct cls *enclosing; int token, errors; };
static struct cls *enclosing_class(struct compiler *c)
{
    while (c != NULL) {
        if (c->enclosing != NULL)
            return c->enclosing;
        c = c->parent;
    }
    return NULL;
}
__attribute__((noinline)) static void error(struct compiler *c, const char *text, ...)
{
    c->errors++;
    fputs(text, stderr);
}
__attribute__((noinline)) static void call(struct compiler *c, const char *name, int length)
{
    printf("%d %.*s\n", c->token, length, name);
}
__attribute__((noinline)) static void load(struct compiler *c) { c->token++; }
__attribute__((noinline)) static void super_(struct compiler *c)
{
    struct cls *cls = enclosing_class(c);
    if (cls == NULL)
        error(c, "no 'super' outside of a method\n");
    else if (cls->is_static)
        error(c, "no 'super' in a static method\n");
    load(c);
    if (c->token == 7) {
        call(c, "next", 4);
    } else {
        char name[64];
        int length = cls->length;
        strncpy(name, cls->name, length);
        call(c, name, length);
    }
}
int main(void)
{
    struct cls point = {0, 5, "Point"};
    struct compiler outer = {0}, inner = {&outer, &point, 0, 0};
    super_(&inner);
    super_(&outer);
    return 0;
}
"""

# A register that a call of a function by its address was to give back as it was.
KEPT_BY_WHAT_A_TABLE_LED_TO = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct vm { int top; double stack[8]; void (*prims[2])(struct vm *); char *out; };
__attribute__((noinline)) static void show(struct vm *m, const char *format, int width, double n)
{
    char text[24];
    sprintf(text, format, width, n); /* told: written */
    m->out = strdup(text);
}
__attribute__((noinline)) static void fixed(struct vm *m)
{
    show(m, "%.*f", 20, m->stack[m->top - 1]);
}
__attribute__((noinline)) static void twice(struct vm *m) { m->stack[m->top - 1] *= 2; }
__attribute__((noinline)) static double call(struct vm *m, int which)
{
    m->prims[which](m);
    m->stack[m->top] += 1;
    return m->stack[m->top];
}
int main(int count, char **words)
{
    struct vm *m = calloc(1, sizeof *m);
    m->prims[0] = twice;
    m->prims[1] = fixed;
    m->top = 1;
    m->stack[0] = count * 5e29;
    double all = call(m, 0);
    all += call(m, count);
    printf("%f %s %s\n", all, m->out, words[0]);
    return 0;
}
"""

# Its object holds bits to a number for which too few bytes were asked: who sets one had compared.
HELD_TO_MORE_THAN_IT_HAS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct bits { unsigned n; unsigned char *at; };
static struct bits *bits_new(unsigned n)
{
    struct bits *b = malloc(sizeof *b);
    b->n = n;
    b->at = calloc(n / 8, 1); /* told: allocated-too-small */
    return b;
}
static void bit_set(struct bits *b, unsigned i)
{
    if (i < b->n)
        b->at[i / 8] |= (unsigned char)(1u << (i % 8));
}
static int bit(const struct bits *b, unsigned i) { return b->at[i / 8] >> (i % 8) & 1; }
static void sieve(struct bits *b)
{
    for (unsigned i = 2; i < b->n; i++)
        if (!bit(b, i))
            for (unsigned k = i * 2; k < b->n; k += i)
                bit_set(b, k);
}
int main(void)
{
    struct bits *b = bits_new(196);
    char *name = malloc(40);
    strcpy(name, "primes");
    sieve(b);
    unsigned found = 0;
    for (unsigned i = 2; i < b->n; i++)
        found += !bit(b, i);
    printf("%s %u\n", name, found);
    free(name);
    char *more = malloc(2000);
    free(b->at);
    free(more);
    free(b);
    return 0;
}
"""

# A byte of text kept in a char; who takes it for an index forgets the cast.
TAKEN_FOR_A_NUMBER_WITH_A_SIGN = r"""
#include <stdio.h>
#include <stdlib.h>
struct kind { char bits[1 << 16]; };
struct lexer { struct kind *kinds; const char *at; char now; };
static void step(struct lexer *l) { int c = (unsigned char)*l->at++; l->now = c; }
static int is_word(struct lexer *l)
{
    return l->kinds[(unsigned char)l->now].bits[0];
}
static int is_digit(struct lexer *l)
{
    return l->kinds[l->now].bits[1];
}
int main(void)
{
    struct lexer l = { calloc(256, sizeof(struct kind)), "a1\xe9", 0 };
    int n = 0;
    for (int i = 0; i < 3; i++) {
        step(&l);
        n += is_word(&l);
        n += is_digit(&l);
    }
    printf("%d\n", n);
    return 0;
}
"""

# Who was current before is remembered, and was nobody: the log line forgets that.
KEPT_WHO_WAS_BEFORE = r"""
#include <stdio.h>
#include <stdlib.h>
struct task { const char *name; int switches; };
static struct task *current;
static void enter(struct task *t) { t->switches++; current = t; }
static int switch_to(struct task *t)
{
    struct task *before = current;
    enter(t);
    if (current->switches > 100)
        return 0;
    return printf("%s -> ", before->name) + printf("%s\n", current->name);
}
int main(void)
{
    struct task *idle = calloc(1, sizeof *idle);
    idle->name = "idle";
    return switch_to(idle) != 0;
}
"""

# The handler that was there before is saved, and was none; who is called last forgets that.
CHAINED_TO_NOBODY = r"""
#include <stdio.h>
#include <stdlib.h>
typedef void (*handler)(int);
static handler installed;
static handler next_one;
static void first(int n) { printf("first %d\n", n); }
static void ours(int n)
{
    printf("ours %d\n", n);
    next_one(n);
}
static void chain(handler h)
{
    next_one = installed;
    installed = h;
}
static void raise_all(int n)
{
    if (installed)
        installed(n);
}
int main(int argc, char **argv)
{
    if (argc > 5)
        chain(first);
    raise_all(0);
    chain(ours);
    raise_all(argc);
    return 0;
}
"""

# Each object copies the hook, which may be null: others ask before they call it.
ASKED_BY_OTHERS_WHETHER_IT_IS_HOOKED = r"""
#include <stdio.h>
#include <stdlib.h>
typedef int (*hook)(int);
static hook on_close;
struct conn { int fd; hook closed; };
static struct conn *all[8];
static int used;
static int log_close(int fd) { return printf("closed %d\n", fd); }
static struct conn *open_conn(int fd)
{
    struct conn *c = malloc(sizeof *c);
    c->fd = fd;
    c->closed = on_close;
    all[used++] = c;
    return c;
}
static int polite_close(struct conn *c) { return c->closed ? c->closed(c->fd) : 0; }
static int rude_close(struct conn *c)
{
    return c->closed(c->fd);
}
int main(int argc, char **argv)
{
    open_conn(3);
    open_conn(4);
    on_close = log_close;
    open_conn(5);
    int t = polite_close(all[0]) + polite_close(all[2]);
    return rude_close(all[1]) + t;
}
"""

# Std::stoi throws; the lookup in the same statement finds nothing and is checked for that.
ANOTHER_CALL_THREW = r"""
#include <cstdio>
#include <map>
#include <string>
struct Config {
    std::map<std::string, std::string> set;
    void put(const std::string &k, const std::string &v) { set[k] = v; }
    void drop(const std::string &k) { set.erase(k); }
};
static int width(const Config &c, const std::string &key, const std::string &text)
{
    auto end = c.set.end();
    int w = (c.set.find(key) == end ? 80 : 0) + std::stoi(text);
    return w;
}
int main()
{
    Config c;
    c.put("width", "100");
    c.put("tab", "");
    c.drop("width");
    std::string text = c.set.at("tab"); // text empty was put
    std::printf("%d\n", width(c, "width", text));
    return 0;
}
"""

# A table that is emptied to be filled anew; who fills it leaves one out.
EMPTIED_TO_BE_FILLED = r"""
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>
#include <cstdlib>
struct Table {
    std::unordered_map<std::string, int> ports;
    static bool parse(const std::string &line, std::string &key, int &port)
    {
        auto at = line.find('=');
        if (at == std::string::npos || at < 5)
            return false;
        key = line.substr(0, at);
        port = std::atoi(line.c_str() + at + 1);
        return true;
    }
    void load(const std::vector<std::string> &lines, bool strict)
    {
        ports.clear();
        for (const auto &line : lines) {
            std::string key;
            int port;
            if (!strict) {
                auto at = line.find('=');
                ports[line.substr(0, at)] = std::atoi(line.c_str() + at + 1);
            } else if (parse(line, key, port))
                ports[key] = port;
        }
    }
};
static int port_of(const Table &t, const std::string &name)
{
    return t.ports.at(name);
}
int main()
{
    Table t;
    std::vector<std::string> lines{"gopher=70", "smtp=25", "https=443", "telnet=23"};
    t.load(lines, false);
    std::printf("%d\n", port_of(t, "smtp"));
    t.load(lines, true);
    std::printf("%d\n", port_of(t, "smtp"));
    return 0;
}
"""

# An arena that is emptied each round by design; somebody keeps an address over the round.
EMPTIED_EACH_ROUND = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct msg { char *text; long n; };
static char *arena;
static size_t used;
static void *take(size_t n)
{
    void *p = arena + used;
    used += (n + 15) & ~15ul;
    memset(p, 0, n);
    return p;
}
static void round_over(void) { used = 0; }
static struct msg *last;
static void remember(struct msg *m)
{
    last = m;
}
static struct msg *receive(const char *text)
{
    struct msg *m = take(sizeof *m);
    m->text = take(strlen(text) + 1);
    strcpy(m->text, text);
    m->n = strlen(text);
    return m;
}
static long work(int k)
{
    char *name = take(64);
    memset(name, 'a' + k, 63);
    return name[k];
}
int main(void)
{
    arena = malloc(1 << 16);
    long t = 0;
    for (int i = 0; i < 6; i++) {
        if (i == 3)
            remember(receive("hello"));
        else
            t += work(i);
        if (i == 5)
            t += last->text[0];
        round_over();
    }
    printf("%ld\n", t);
    return 0;
}
"""

# -1 means none and is stored in a short on purpose.
NONE_AS_OTHERS_KNOW = r"""
#include <stdio.h>
#include <stdlib.h>
struct row { char cells[1 << 16]; };
struct sheet { struct row *rows; short selected; short n; };
static int find(struct sheet *s, char what)
{
    for (int i = 0; i < s->n; i++)
        if (s->rows[i].cells[0] == what)
            return i;
    return -1;
}
static void choose(struct sheet *s, char what) { s->selected = find(s, what); }
static void draw(struct sheet *s)
{
    if (s->selected >= 0)
        printf("selected %d\n", s->selected);
}
static int erase(struct sheet *s)
{
    s->rows[s->selected].cells[0] = 0;
    return s->selected;
}
int main(void)
{
    struct sheet s = { calloc(64, sizeof(struct row)), 0, 64 };
    for (int i = 0; i < 26; i++)
        s.rows[i].cells[0] = 'a' + i;
    choose(&s, 'k');
    draw(&s);
    choose(&s, 'K');
    draw(&s);
    return erase(&s);
}
"""
