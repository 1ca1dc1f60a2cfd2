/* attack: flags=-O0; values=last:&r->owner,last:&r->cells[8],last:&r->cells[r->n] */
#include <stdio.h>
#include <stdlib.h>
struct owner { int id; };
struct ring { int n; int lost; long cells[8]; struct owner *owner; long spare[4]; };
static struct ring *ring_new(struct owner *o)
{
    struct ring *r = calloc(1, sizeof *r);
    r->owner = o;
    return r;
}
static int ring_full(const struct ring *r)
{
    return r->n >= 8;
}
static int ring_put(struct ring *r, long v)
{
    if (ring_full(r)) {
        r->lost++;
        return -1;
    }
    int at = r->n + 0;
    r->cells[at] = v;
    r->n = at + 1;
    return 0;
}
static void ring_load(struct ring *r, const long *from, int n)
{
    for (int i = 0; i < n; i++)
        r->cells[i] = from[i];                   /*!*/
    r->n = 8;
}
static long last(struct ring *r)
{
    return r->owner->id + r->n;
}
int main(void)
{
    struct owner me = { 7 };
    struct ring *r = ring_new(&me);
    long many[9];
    for (int i = 0; i < 9; i++)
        many[i] = 0x4141414141414141;
    ring_put(r, 1);
    ring_load(r, many, 9);
    ring_put(r, 1);
    long v = last(r);
    printf("%ld\n", v);
    return 0;
}
