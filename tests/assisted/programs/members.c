#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct peer { long *stats; int id; };
struct conn { struct peer *peer; int kind; };
struct pool { struct peer *spare; int count; };
static void conn_shut(struct conn *c)
{
    if (c->kind == 9)
        free(c->peer);
}
static void pool_trim(struct pool *p)
{
    free(p->spare);
    p->count--;
}
static long conn_sum(struct conn *c)
{
    struct peer *p = c->peer;
    return *p->stats;
}
int main(void)
{
    struct conn c = {0};
    struct pool pool = {0};
    c.peer = calloc(1, sizeof *c.peer);
    c.peer->stats = calloc(4, sizeof(long));
    pool.spare = c.peer;
    conn_shut(&c);
    pool_trim(&pool);
    return (int)conn_sum(&c);
}
