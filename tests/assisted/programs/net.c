/* A network with a route to each of its nodes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct route {
    unsigned to, by;
    double cost;
    char via[16];
};

struct net {
    unsigned count;
    struct route *routes;
    char **names;
};

static struct net *net_new(unsigned count)
{
    struct net *n = calloc(1, sizeof *n);
    n->count = count;
    n->routes = calloc(count, sizeof n->routes);
    n->names = calloc(count, sizeof *n->names);
    return n;
}

static void net_name(struct net *n, unsigned at, const char *name)
{
    if (at < n->count)
        n->names[at] = strdup(name);
}

static void net_route(struct net *n)
{
    for (unsigned i = 0; i < n->count; i++) {
        struct route *r = &n->routes[i];
        r->to = i;
        r->by = i / 2;
        r->cost = i * 1.5;
        snprintf(r->via, sizeof r->via, "node %u", i / 2);
    }
}

static size_t net_length(const struct net *n)
{
    size_t sum = 0;
    for (unsigned i = 0; i < n->count; i++)
        sum += strlen(n->names[i]);
    return sum;
}

static void net_free(struct net *n)
{
    for (unsigned i = 0; i < n->count; i++)
        free(n->names[i]);
    free(n->names);
    free(n->routes);
    free(n);
}

int main(void)
{
    struct net *n = net_new(6);
    char name[16];
    for (unsigned i = 0; i < n->count; i++) {
        snprintf(name, sizeof name, "host-%u", i);
        net_name(n, i, name);
    }
    net_route(n);
    printf("%zu\n", net_length(n));
    net_free(n);
    return 0;
}
