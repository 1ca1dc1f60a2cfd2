/* Forwards packets by a table of routes that is loaded again while the forwarder runs. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct route {
    uint32_t prefix;
    uint32_t mask;
    int port;
    uint64_t hits;
};

struct router {
    struct route *routes;
    size_t count;
    unsigned generation;
    pthread_mutex_t lock;
    pthread_barrier_t reloaded;
};

struct packet {
    uint32_t to;
    uint32_t length;
};

static int parse_route(const char *line, struct route *route)
{
    unsigned a, b, c, d, bits;
    int port;

    if (sscanf(line, "%u.%u.%u.%u/%u %d", &a, &b, &c, &d, &bits, &port) != 6 || bits > 32)
        return 0;
    route->mask = bits == 0 ? 0 : ~(uint32_t)0 << (32 - bits);
    route->prefix = (a << 24 | b << 16 | c << 8 | d) & route->mask;
    route->port = port;
    route->hits = 0;
    return 1;
}

static int by_prefix(const void *left, const void *right)
{
    const struct route *one = left, *other = right;

    return (one->prefix > other->prefix) - (one->prefix < other->prefix);
}

static int router_load(struct router *router, const char *const *lines, size_t count)
{
    struct route *fresh = malloc(count * sizeof *fresh);
    int loaded = 0;

    if (fresh == NULL)
        return 0;
    pthread_mutex_lock(&router->lock);
    free(router->routes);
    router->routes = NULL;
    for (size_t at = 0; at < count; at++)
        if (!parse_route(lines[at], &fresh[at]))
            goto refused;
    qsort(fresh, count, sizeof *fresh, by_prefix);
    router->routes = fresh;
    router->count = count;
    fresh = NULL;
    loaded = 1;
refused:
    router->generation++;
    pthread_mutex_unlock(&router->lock);
    free(fresh);
    return loaded;
}

static struct route *find_route(struct router *router, uint32_t to)
{
    size_t low = 0, high = router->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct route *route = &router->routes[middle];

        if ((to & route->mask) == route->prefix)
            return route;
        if (route->prefix < to)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static int forward(struct router *router, const struct packet *packet)
{
    struct route *route;
    int port = -1;

    pthread_mutex_lock(&router->lock);
    route = find_route(router, packet->to);
    if (route != NULL) {
        route->hits += packet->length;
        port = route->port;
    }
    pthread_mutex_unlock(&router->lock);
    return port;
}

static void *run(void *argument)
{
    static const struct packet packets[] = {{0x0a010203, 60}, {0xc0a80107, 1500}};
    struct router *router = argument;
    long sum = forward(router, &packets[0]);

    pthread_barrier_wait(&router->reloaded);
    pthread_barrier_wait(&router->reloaded);
    sum += forward(router, &packets[1]);
    return (void *)sum;
}

int main(void)
{
    static const char *const start[] = {"10.1.0.0/16 1", "10.2.0.0/16 2", "172.16.0.0/12 3",
                                        "192.168.1.0/24 4", "203.0.113.0/24 5"};
    static const char *const later[] = {"10.1.0.0/16 1", "10.2.0.0/16", "192.168.1.0/24 4"};
    static struct router router = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t forwarder;

    pthread_barrier_init(&router.reloaded, NULL, 2);
    if (!router_load(&router, start, 5))
        return 1;
    pthread_create(&forwarder, NULL, run, &router);
    pthread_barrier_wait(&router.reloaded);
    if (!router_load(&router, later, 3))
        puts("the new table is refused, the old one stays");
    pthread_barrier_wait(&router.reloaded);
    pthread_join(forwarder, NULL);
    return 0;
}
