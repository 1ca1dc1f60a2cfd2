/* attack: flags=-O0; values=put:at,put:b->cells,put:b->n,put:b */
#include <stdio.h>
#include <stdlib.h>
struct buf { long *cells; size_t n, room; };
static void grow(struct buf *b)
{
    b->room *= 2;
    b->cells = realloc(b->cells, b->room * sizeof *b->cells);
}
static void skip(struct buf *b, size_t by)
{
    b->n += by; /*!*/
}
static void flush(struct buf *b)
{
    b->n = 0;
}
static void put(struct buf *b, long v)
{
    long *at = b->cells + b->n;
    flush(b);
    *at = v;
}
int main(void)
{
    struct buf *b = malloc(sizeof *b);
    b->n = 0;
    b->room = 40000;
    b->cells = malloc(b->room * sizeof *b->cells);
    grow(b);
    put(b, 1);
    skip(b, 99000000);
    put(b, 2);
    printf("%zu\n", b->n);
    return 0;
}
