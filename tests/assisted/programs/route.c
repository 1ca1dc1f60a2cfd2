#include "path.h"
#include <stdio.h>
#include <string.h>

struct layer {
    struct path *paths[8];
    int used;
};

static void layer_add(struct layer *layer, struct path *path)
{
    if (layer->used < 8)
        layer->paths[layer->used++] = path;
}

static struct path *ring(double radius, int corners)
{
    struct path *path = path_new(8);
    for (int corner = 0; corner < corners; corner++)
        path_add(path, radius * corner, radius * (corner % 3) + 0.5);
    path_close(path);
    return path;
}

static __attribute__((noinline)) size_t ink(const struct layer *layer)
{
    size_t sum = 0;
    for (int at = 0; at < layer->used; at++) {
        const struct style *style = layer->paths[at]->style;
        sum += strlen(style->colour) + (size_t)style->width;
    }
    return sum;
}

static void duplicate(struct layer *layer, int count)
{
    int old = layer->used;
    for (int at = 0; at < old && at < count; at++)
        layer_add(layer, path_copy(layer->paths[at]));
}

int main(void)
{
    struct layer layer = {.used = 0};
    layer_add(&layer, ring(2.5, 5));
    layer_add(&layer, ring(7.25, 11));
    printf("%zu\n", ink(&layer));
    duplicate(&layer, 1);
    double sum = 0;
    for (int at = 0; at < layer.used; at++)
        sum += path_length(layer.paths[at]);
    printf("%.2f %zu\n", sum, ink(&layer));
    for (int at = 0; at < layer.used; at++)
        path_free(layer.paths[at]);
    return 0;
}
