/* A bus of listeners: each is told of every event, and may leave. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bus;

struct listener {
    struct listener *next;
    void (*call)(struct bus *b, struct listener *l, int event);
    void *data;
};

struct bus {
    const char *name;
    struct listener *first;
    unsigned events, listeners;
};

struct counter {
    int left;
    long sum;
};

static __attribute__((noinline)) struct listener *bus_listen(
    struct bus *b, void (*call)(struct bus *, struct listener *, int), void *data)
{
    struct listener *l = malloc(sizeof *l);
    if (!l)
        return NULL;
    l->call = call;
    l->data = data;
    l->next = b->first;
    b->first = l;
    b->listeners++;
    return l;
}

static __attribute__((noinline)) void bus_leave(struct bus *b, struct listener *l)
{
    struct listener **link = &b->first;
    while (*link && *link != l)
        link = &(*link)->next;
    if (!*link)
        return;
    *link = l->next;
    b->listeners--;
    free(l);
}

static __attribute__((noinline)) void bus_emit(struct bus *b, int event)
{
    b->events++;
    for (struct listener *at = b->first; at; at = at->next)
        at->call(b, at, event);
}

static void on_print(struct bus *b, struct listener *l, int event)
{
    printf("%s: %s %d\n", b->name, (const char *)l->data, event);
}

static void on_count(struct bus *b, struct listener *l, int event)
{
    struct counter *c = l->data;
    c->sum += event;
    if (--c->left == 0)
        bus_leave(b, l);
}

int main(void)
{
    struct bus bus = {"clock", NULL, 0, 0};
    struct counter three = {3, 0}, five = {5, 0};
    bus_listen(&bus, on_print, "tick");
    bus_listen(&bus, on_count, &five);
    bus_listen(&bus, on_count, &three);
    for (int i = 1; i <= 6; i++)
        bus_emit(&bus, i * 10);
    printf("%u events, %u listeners, %ld %ld\n", bus.events, bus.listeners, three.sum, five.sum);
    return 0;
}
