/* attack: flags=-O0; values=mark:g->cells,mark:g,mark:&g->cells[from * g->n + to],link:e */
#include <stdio.h>
#include <stdlib.h>
struct graph { long n; char *cells; };
struct edge { long from, to; };
static void mark(struct graph *g, long from, long to)
{
    long at = from * g->n + to;
    g->cells[at] = g->cells[at] + 1;
}
static void link(struct graph *g, const struct edge *e)
{
    mark(g, e->from, e->to);
    mark(g, e->from + 1, e->to);
    mark(g, e->to, e->from);
}
static long read_id(long n) { return n * 90000; } /*!*/
int main(void)
{
    struct graph *g = calloc(1, sizeof *g);
    struct edge e = { 1, read_id(100) }; /*!*/
    g->n = 30000;
    g->cells = calloc(9100000, 1);
    link(g, &e);
    printf("%ld\n", g->n);
    return 0;
}
