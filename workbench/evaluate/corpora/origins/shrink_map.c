/* Pages that are given back while a view into them is kept. flags: -g -O0 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u

struct arena {
    unsigned char *base;
    size_t pages;
};

struct view {
    const unsigned char *start;
    size_t size;
};

static void arena_open(struct arena *arena, size_t pages) {
    arena->base = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    arena->pages = pages;
}

static void arena_trim(struct arena *arena, size_t keep) {
    if (keep >= arena->pages)
        return;
    munmap(arena->base + keep * PAGE, (arena->pages - keep) * PAGE); /* origin arena_trim */
    arena->pages = keep;
}

static struct view view_of(const struct arena *arena, size_t page, size_t size) {
    struct view view = {arena->base + page * PAGE, size};
    return view;
}

static unsigned sum(const struct view *view) {
    unsigned total = 0;
    for (size_t i = 0; i < view->size; i++)
        total += view->start[i];
    return total;
}

static void idle(struct arena *arena, int tick) {
    if (tick == 7)
        arena_trim(arena, arena->pages / 2);
}

int main(void) {
    struct arena arena;
    arena_open(&arena, 64);
    memset(arena.base, 3, arena.pages * PAGE);
    struct view views[4];
    for (int i = 0; i < 4; i++)
        views[i] = view_of(&arena, (size_t)i * 15, 100);
    unsigned total = 0;
    for (int tick = 0; tick < 10; tick++) {
        idle(&arena, tick);
        for (int i = 0; i < 4; i++)
            total += sum(&views[i]);
    }
    printf("%u\n", total);
    return 0;
}
