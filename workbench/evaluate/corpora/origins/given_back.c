/* A slab of the program's own takes an object back that a list still has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct conn { struct conn *next_free; int fd; int busy; char *peer; struct conn *link; };
#define N 64
static struct conn *slab, *free_list;
static struct conn *active;
static int live;
static void pool_init(void) {
    slab = calloc(N, sizeof *slab);
    for (int i = N - 1; i >= 0; i--) { slab[i].next_free = free_list; free_list = &slab[i]; }
}
static struct conn *__attribute__((noinline)) pool_get(int fd) {
    struct conn *c = free_list;
    if (!c) return NULL;
    free_list = c->next_free;
    memset(c, 0, sizeof *c);
    c->fd = fd;
    live++;
    return c;
}
static void __attribute__((noinline)) pool_put(struct conn *c) {
    memset(c, 0xdd, sizeof *c);
    c->next_free = free_list;
    free_list = c;
    live--;
}
static void __attribute__((noinline)) accept_conn(int fd) {
    struct conn *c = pool_get(fd);
    char name[32];
    snprintf(name, sizeof name, "10.0.0.%d", fd);
    c->peer = strdup(name);
    c->link = active;
    active = c;
}
static void __attribute__((noinline)) close_idle(int limit) {
    for (struct conn *c = active; c; ) {
        struct conn *next = c->link;
        if (c->fd % limit == 0) {
            free(c->peer);
            pool_put(c); /* origin close_idle */
        }
        c = next;
    }
}
static size_t __attribute__((noinline)) report(void) {
    size_t total = 0;
    for (struct conn *c = active; c; c = c->link)
        total += strlen(c->peer) + c->busy;
    return total;
}
int main(void) {
    pool_init();
    for (int i = 1; i < 20; i++) accept_conn(i);
    printf("%zu\n", report());
    close_idle(7);
    printf("%d live\n", live);
    printf("%zu\n", report());
    return 0;
}
