/* attack: flags=-O0 */
#include <stdlib.h>
struct point { long x, y, z; };
struct path { unsigned count, room; struct point *points; };
static long **style_of(struct path *p)
{
    p->points = malloc(p->count * sizeof p->points);
    p->points = realloc(p->points, p->count * sizeof *p->points);
    long **style = malloc(2 * sizeof *style);
    *style = calloc(1, 8);
    return style;
}
static void add(struct path *p, long x)
{
    if (p->count < p->room)
        p->points[p->count++] = (struct point){x, x, x}; /*!*/
}
static long width(long **style) { return **style; }
int main(int argc, char **argv)
{
    struct path p = {4, 9, NULL}; /*!*/
    long **style = style_of(&p);
    for (int at = 0; at < 5; at++)
        add(&p, 0x4141414141414141 * argc);
    return (int)width(style) + (argv == NULL);
}
