/* attack: flags=-O0; values=sum:at,sum:b->cells,sum:b->n,sum:b */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct buf { long *cells; size_t n, room; };
static void grow(struct buf *b)
{
    if (b->n < b->room)
        return;
    b->room *= 2;
    b->cells = realloc(b->cells, b->room * sizeof *b->cells);
}
static void compact(struct buf *b)
{
    long *old = b->cells;
    b->cells = malloc((b->room + 70000) * sizeof *b->cells);
    memcpy(b->cells, old, b->n * sizeof *old);
    free(old); /*!*/
}
static long sum(struct buf *b, int pack)
{
    long *at = b->cells;
    long s = 0;
    if (pack)
        compact(b);
    for (size_t i = 0; i < b->n; i++)
        s += at[i];
    return s;
}
int main(void)
{
    struct buf *b = malloc(sizeof *b);
    b->n = 0;
    b->room = 40000;
    b->cells = malloc(b->room * sizeof *b->cells);
    for (int i = 0; i < 50000; i++) {
        grow(b);
        b->cells[b->n++] = i;
    }
    printf("%ld\n", sum(b, 0));
    printf("%ld\n", sum(b, 1));
    return 0;
}
