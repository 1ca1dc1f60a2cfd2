/* Pages of a file with a bitmap of those that are used. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bitmap {
    size_t count;
    uint8_t *bits;
};

struct pages {
    struct bitmap *used;
    char **names;
    size_t count;
};

static __attribute__((noinline)) struct bitmap *bitmap_new(size_t count)
{
    struct bitmap *b = malloc(sizeof *b);
    b->count = count;
    b->bits = malloc(count / 8);
    memset(b->bits, 0, count / 8);
    return b;
}

static __attribute__((noinline)) void bitmap_set(struct bitmap *b, size_t at)
{
    b->bits[at / 8] |= (uint8_t)(1u << at % 8);
}

static __attribute__((noinline)) int bitmap_has(const struct bitmap *b, size_t at)
{
    return b->bits[at / 8] >> at % 8 & 1;
}

static __attribute__((noinline)) void bitmap_free(struct bitmap *b)
{
    free(b->bits);
    free(b);
}

static struct pages *pages_new(size_t count)
{
    struct pages *p = calloc(1, sizeof *p);
    p->used = bitmap_new(count);
    p->names = calloc(count, sizeof *p->names);
    p->count = count;
    return p;
}

static __attribute__((noinline)) void pages_use(struct pages *p, size_t at, const char *name)
{
    bitmap_set(p->used, at);
    p->names[at] = strdup(name);
}

static __attribute__((noinline)) void pages_free(struct pages *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (bitmap_has(p->used, i))
            free(p->names[i]);
    free(p->names);
    bitmap_free(p->used);
    free(p);
}

int main(void)
{
    struct pages *p = pages_new(197);
    for (size_t i = 0; i < 197; i += 2)
        pages_use(p, i, i % 3 ? "leaf" : "branch");
    size_t used = 0;
    for (size_t i = 0; i < 197; i++)
        used += bitmap_has(p->used, i);
    printf("%zu used\n", used);
    pages_free(p);
    return 0;
}
