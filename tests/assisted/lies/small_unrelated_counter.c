/* attack: flags=-O0; values=serve:p->items,serve:&p->items[0],serve:*which */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { int id; int kind; long cost; };
struct pool { struct item *items; int room; int timeout; int retries; };
struct route { struct item *first; int hops; };
static struct pool shared;
static void pool_init(struct pool *p, int room)
{
    p->items = calloc(room, sizeof(struct item));
    p->room = room;
    p->timeout = 5000;
    p->retries = 3;
}
static void pool_load(struct pool *p, const long *words, int n)
{
    memcpy(p->items, words, n);                 /*!*/
}
static int serve(struct pool *p, struct item **which)
{
    return (*which)->kind + p->retries;
}
int main(void)
{
    pool_init(&shared, 4);
    struct route *r = malloc(sizeof *r);
    r->first = shared.items;
    long words[16];
    for (int i = 0; i < 16; i++)
        words[i] = 0x5a5a5a5a5a5a5a5a;
    pool_load(&shared, words, 96);
    int v = serve(&shared, &r->first);
    printf("%d\n", v);
    return 0;
}
