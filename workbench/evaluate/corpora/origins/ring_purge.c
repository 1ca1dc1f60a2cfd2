/* A queue of work that keeps its own count, checked when it is taken from. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAP 8

struct work { int id, prio; };

struct queue {
    struct work items[CAP];
    unsigned head, count;
    unsigned long taken;
};

__attribute__((noinline)) static int push(struct queue *q, struct work w)
{
    if (q->count == CAP)
        return -1;
    q->items[(q->head + q->count) % CAP] = w;
    q->count++;
    return 0;
}

__attribute__((noinline)) static struct work pop(struct queue *q)
{
    assert(q->count > 0 && q->count <= CAP);
    struct work w = q->items[q->head];
    q->head = (q->head + 1) % CAP;
    q->count--;
    q->taken++;
    return w;
}

__attribute__((noinline)) static void purge(struct queue *q, int prio)
{
    unsigned kept = 0, dropped = 0;
    struct work left[CAP];
    for (unsigned i = 0; i < q->count; i++) {
        struct work w = q->items[(q->head + i) % CAP];
        if (w.prio < prio)
            dropped++;
        else
            left[kept++] = w;
    }
    memcpy(q->items, left, kept * sizeof *left);
    q->head = 0;
    q->count = kept - dropped; /* origin purge */
}

__attribute__((noinline)) static long drain(struct queue *q, unsigned n)
{
    long sum = 0;
    while (n--)
        sum += pop(q).id;
    return sum;
}

int main(int argc, char **argv)
{
    static struct queue q;
    (void)argv;
    for (int i = 0; i < 7; i++)
        push(&q, (struct work){i + argc, i});
    printf("%ld\n", drain(&q, 2));
    purge(&q, 5);
    for (int i = 0; i < 2; i++)
        push(&q, (struct work){100 + i, 9});
    printf("%ld\n", drain(&q, 3));
    return 0;
}
