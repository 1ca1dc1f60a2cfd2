/* Layers of paths, each of points that are added one by one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
    double x, y, weight;
};

struct path {
    struct path *next;
    struct point *points;
    size_t used, room;
};

struct layer {
    struct path *paths;
    size_t count;
};

static __attribute__((noinline)) struct path *path_new(struct layer *l)
{
    struct path *p = malloc(sizeof *p);
    p->points = NULL;
    p->used = p->room = 0;
    p->next = l->paths;
    l->paths = p;
    l->count++;
    return p;
}

static __attribute__((noinline)) void path_room(struct path *p, size_t more)
{
    if (p->used + more <= p->room)
        return;
    p->room = (p->used + more) * 2;
    p->points = realloc(p->points, p->room * sizeof(p->points));
}

static __attribute__((noinline)) void path_add(struct path *p, double x, double y)
{
    path_room(p, 1);
    struct point *to = &p->points[p->used++];
    to->x = x;
    to->y = y;
    to->weight = 1;
}

static __attribute__((noinline)) size_t layer_free(struct layer *l)
{
    size_t points = 0;
    while (l->paths) {
        struct path *p = l->paths;
        l->paths = p->next;
        points += p->used;
        free(p->points);
        free(p);
    }
    return points;
}

int main(void)
{
    struct layer layer = {NULL, 0};
    for (int n = 0; n < 3; n++) {
        struct path *path = path_new(&layer);
        for (int i = 0; i < 2; i++)
            path_add(path, i * 0.5, n);
    }
    printf("%zu points\n", layer_free(&layer));
    return 0;
}
