#include <assert.h>
#include <stdlib.h>
struct queue { int items[8]; int count; int head; };
static void queue_put(struct queue *q, int v)
{
    if (q->count < 8)
        q->items[(q->head + q->count++) % 8] = v;
}
static void queue_splice(struct queue *q, int n)
{
    q->count = q->count + 2 * n;
}
static void queue_clear(struct queue *q)
{
    q->count = 0;
}
static int queue_get(struct queue *q)
{
    assert(q->count <= 8);
    int v = q->items[q->head];
    q->head = (q->head + 1) % 8;
    return v;
}
int main(void)
{
    struct queue *q = calloc(1, sizeof *q);
    queue_clear(q);
    queue_put(q, 4);
    queue_put(q, 5);
    queue_splice(q, 9);
    return queue_get(q);
}
