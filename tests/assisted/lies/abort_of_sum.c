/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
struct queue { int n; int cap; int reserved; };
static void queue_reserve(struct queue *q, int n)
{
    q->reserved += n * 8; /*!*/
}
static void queue_fill(struct queue *q)
{
    q->n = 5;
}
static void queue_check(struct queue *q)
{
    if (q->n > q->cap - q->reserved)
        abort();
    printf("%d\n", q->n);
}
int main(void)
{
    struct queue *q = calloc(1, sizeof *q);
    q->cap = 16;
    queue_fill(q);
    queue_reserve(q, 2);
    queue_check(q);
    return 0;
}
