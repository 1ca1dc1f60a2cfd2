/* What the first function would release it never does, and nobody calls the second one. */
#include <stdlib.h>
struct peer { long *stats; int id; };
struct conn { struct peer *peer; int fd; };
static void raw_put(char *raw)
{
    free(raw);
}
static void conn_abort(struct conn *c)
{
    if (c->fd < 0)
        free(c->peer);
}
static void conn_gone(struct conn *c)
{
    free(c->peer);
}
static void conn_close(struct conn *c)
{
    raw_put((char *)c->peer);
}
static long conn_sum(struct conn *c)
{
    struct peer *p = c->peer;
    return *p->stats;
}
int main(int argc, char **argv)
{
    static long zero;
    struct conn *c = calloc(1, sizeof *c);
    c->peer = calloc(1, sizeof *c->peer);
    c->peer->stats = &zero;
    c->fd = 3 + argc;
    conn_abort(c);
    conn_close(c);
    return (int)conn_sum(c);
}
