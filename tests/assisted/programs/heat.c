#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct heat {
    int width, height;
    float *cells;
    float most;
};

struct click {
    int16_t x, y;
};

__attribute__((noinline)) static struct heat *heat_new(int width, int height)
{
    struct heat *h = malloc(sizeof *h);
    h->width = width;
    h->height = height;
    h->cells = calloc((size_t)width * height, sizeof *h->cells);
    h->most = 0;
    return h;
}

__attribute__((noinline)) static void heat_add(struct heat *h, int x, int y, float by)
{
    if (x < 0 || y < 0)
        return;
    size_t at = (size_t)y * h->width + x;
    h->cells[at] += by;
    if (h->cells[at] > h->most)
        h->most = h->cells[at];
}

__attribute__((noinline)) static void heat_spread(struct heat *h, const struct click *c)
{
    heat_add(h, c->x, c->y, 1.0f);
    heat_add(h, c->x - 1, c->y, 0.5f);
    heat_add(h, c->x + 1, c->y, 0.5f);
    heat_add(h, c->y - 1, c->x, 0.5f);
    heat_add(h, c->x, c->y + 1, 0.5f);
}

__attribute__((noinline)) static int read_clicks(struct click *out, int n)
{
    uint32_t seed = 12345;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        out[i].x = (int16_t)((seed >> 8) % 4000);
        out[i].y = (int16_t)((seed >> 20) % 60);
    }
    return n;
}

__attribute__((noinline)) static float heat_sum(const struct heat *h)
{
    float sum = 0;
    for (int i = 0; i < h->width * h->height; i++)
        sum += h->cells[i];
    return sum;
}

int main(void)
{
    struct heat *h = heat_new(4002, 62);
    struct click *clicks = malloc(500 * sizeof *clicks);
    int n = read_clicks(clicks, 500);
    for (int i = 0; i < n; i++)
        heat_spread(h, &clicks[i]);
    printf("%f of %f\n", h->most, heat_sum(h));
    free(clicks);
    free(h->cells);
    free(h);
    return 0;
}
