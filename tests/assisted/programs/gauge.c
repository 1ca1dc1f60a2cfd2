#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define HISTORY 16

struct sample {
    uint32_t when;
    float value;
};

struct limits {
    float low;
    float high;
    int breached;
};

struct gauge {
    const char *label;
    unsigned at;
    struct sample history[HISTORY];
    struct limits *limits;
    unsigned seen;
};

static struct gauge *gauge_new(const char *label, float low, float high)
{
    struct gauge *g = calloc(1, sizeof *g);
    g->label = label;
    g->limits = malloc(sizeof *g->limits);
    g->limits->low = low;
    g->limits->high = high;
    g->limits->breached = 0;
    return g;
}

__attribute__((noinline)) static void gauge_record(struct gauge *g, uint32_t when, float value)
{
    g->history[g->at].when = when;
    g->history[g->at].value = value;
    g->at++;
    if (g->at > HISTORY)
        g->at = 0;
    g->seen++;
}

__attribute__((noinline)) static float gauge_mean(const struct gauge *g)
{
    float sum = 0;
    unsigned n = g->seen < HISTORY ? g->seen : HISTORY;
    for (unsigned i = 0; i < n; i++)
        sum += g->history[i].value;
    return n ? sum / n : 0;
}

__attribute__((noinline)) static int gauge_check(struct gauge *g)
{
    float mean = gauge_mean(g);
    if (mean < g->limits->low || mean > g->limits->high)
        g->limits->breached++;
    return g->limits->breached;
}

int main(void)
{
    struct gauge *oil = gauge_new("oil", 1.0f, 6.5f);
    struct gauge *water = gauge_new("water", 40.0f, 95.0f);
    for (uint32_t t = 0; t < 10; t++)
        gauge_record(water, t, 60.0f + t);
    printf("%s: %d\n", water->label, gauge_check(water));
    for (uint32_t t = 0; t < 17; t++)
        gauge_record(oil, 1000 + t * 50, 3.0f + (t & 3));
    printf("%s: %d\n", oil->label, gauge_check(oil));
    return 0;
}
