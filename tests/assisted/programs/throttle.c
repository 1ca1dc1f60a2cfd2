#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TICKS_PER_SECOND 64

struct throttle {
    unsigned per_second;
    unsigned per_tick;
    unsigned tokens;
    uint64_t tick;
};

struct client {
    const char *name;
    struct throttle *limit;
    unsigned long sent;
};

static struct throttle *throttle_new(unsigned per_second)
{
    struct throttle *t = calloc(1, sizeof *t);
    t->per_second = per_second;
    t->per_tick = per_second / TICKS_PER_SECOND;
    return t;
}

static void throttle_tick(struct throttle *t, uint64_t now)
{
    if (now <= t->tick)
        return;
    t->tokens += t->per_tick * (unsigned)(now - t->tick);
    if (t->tokens > t->per_second)
        t->tokens = t->per_second;
    t->tick = now;
}

static unsigned throttle_take(struct throttle *t, unsigned bytes)
{
    if (bytes <= t->tokens) {
        t->tokens -= bytes;
        return 0;
    }
    return (bytes - t->tokens) / t->per_tick; /* ticks to wait */
}

static unsigned serve(struct client *c, unsigned bytes, uint64_t now)
{
    throttle_tick(c->limit, now);
    unsigned wait = throttle_take(c->limit, bytes);
    if (wait == 0)
        c->sent += bytes;
    return wait;
}

int main(void)
{
    struct client clients[3] = { { "web", NULL, 0 }, { "mail", NULL, 0 }, { "sensor", NULL, 0 } };
    unsigned rates[3] = { 65536, 4096, 48 };
    for (int i = 0; i < 3; i++)
        clients[i].limit = throttle_new(rates[i]);
    for (uint64_t now = 1; now < 200; now++)
        for (int i = 0; i < 3; i++)
            serve(&clients[i], 40, now);
    for (int i = 0; i < 3; i++)
        printf("%s %lu\n", clients[i].name, clients[i].sent);
    return 0;
}
