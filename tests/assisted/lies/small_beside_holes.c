/* attack: flags=-O0; values=route_cost:n,main:n,main:n->routes,net_route:n,net_route:n->routes,net_route:r,net_free:n,net_free:n->routes,net_new:n,net_free:n->names,main:&n->routes[n->count] */
/* A network with a route to each of its nodes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct route {
    unsigned to, by;
    double cost;
    char via[16];
};

struct mark {
    unsigned to, by;
    char note[24];
};

struct net {
    unsigned count;
    struct mark *marks;
    struct route *routes;
    char **names;
    unsigned marked;
};

static struct net *net_new(unsigned count)
{
    struct net *n = calloc(1, sizeof *n);
    n->count = count;
    n->marked = count + 6;
    n->marks = calloc(count, sizeof *n->marks);
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
    n->routes[0].to = 1;
    for (unsigned i = 0; i < n->marked; i++) {
        struct mark *r = &n->marks[i];
        r->to = i; /*!*/
        r->by = i / 2;
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
