/* attack: flags=-O0; values=last:&q->cells[q->n],last:&q->owner,last:q->n */
#include <stdio.h>
#include <stdlib.h>
struct owner { int id; };
struct ring { long n; long cells[8]; struct owner *owner; long spare[80]; };
static struct ring *ring_new(struct owner *o)
{
    struct ring *r = calloc(1, sizeof *r);
    r->owner = o;
    return r;
}
static void ring_fill(struct ring *q, long v)
{
    long at = q->n + 0;
    q->cells[at] = v;
    q->n = at + 1;
}
static void ring_turn(struct ring *q, long v)
{
    q->cells[q->n % 8] = v;
    q->n++;
}
static void ring_lend(struct ring *q, long key)
{
    q->owner = (struct owner *)(key * 0x10001);  /*!*/
}
static long last(struct ring *q)
{
    return q->owner->id + q->n;
}
int main(void)
{
    struct owner me = { 7 };
    struct ring *q = ring_new(&me);
    for (int i = 0; i < 8; i++)
        ring_fill(q, i);
    for (int i = 0; i < 50; i++)
        ring_turn(q, i);
    ring_lend(q, 0x414141414141);
    long v = last(q);
    printf("%ld\n", v);
    return 0;
}
