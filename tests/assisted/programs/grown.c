#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct table { unsigned long *cells; size_t count; int small; };
static int shelf[64];
static void table_make(struct table *t, size_t count, int small)
{
    t->count = count;
    t->small = small;
    if (small)
        t->cells = malloc(t->count);
    else
        t->cells = malloc(t->count * sizeof *t->cells);
}
static void table_fill(struct table *t)
{
    for (size_t i = 0; i < t->count; i++)
        t->cells[i] = i % 64;
}
static void table_skew(struct table *t, size_t at)
{
    t->cells[at] = 0x4141414141414141;
}
static int table_look(struct table *t, size_t at)
{
    unsigned long *cell = &t->cells[at];
    return shelf[*cell];
}
int main(void)
{
    struct table t;
    table_make(&t, 40, 0);
    table_fill(&t);
    table_skew(&t, 30);
    return table_look(&t, 30);
}
