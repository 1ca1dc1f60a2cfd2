#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS 10

struct scale {
    double low, high;
    const char *unit;
};

struct hist {
    char name[16];
    unsigned long counts[BINS];
    const struct scale *scale;
    unsigned long total;
};

static const struct scale PERCENT = { 0.0, 100.0, "%" };

static struct hist *hist_new(const char *name, const struct scale *scale)
{
    struct hist *h = calloc(1, sizeof *h);
    if (h == NULL)
        abort();
    snprintf(h->name, sizeof h->name, "%s", name);
    h->scale = scale;
    return h;
}

static void hist_add(struct hist *h, const double *values, int count, int bins)
{
    double width = (h->scale->high - h->scale->low) / bins;
    for (int i = 0; i < count; i++) {
        int bin = (int)((values[i] - h->scale->low) / width);
        if (bin >= 0 && bin < bins)
            h->counts[bin]++;
        h->total++;
    }
}

static void hist_decay(struct hist *h)
{
    for (int i = 0; i <= BINS; i++)
        h->counts[i] = h->counts[i] / 2;
}

static void hist_print(const struct hist *h)
{
    printf("%s [%s]", h->name, h->scale->unit);
    for (int i = 0; i < BINS; i++)
        printf(" %lu", h->counts[i]);
    printf(" of %lu\n", h->total);
}

int main(void)
{
    double load[] = { 3.0, 14.5, 15.0, 47.0, 88.0, 99.5 };
    struct hist *h = hist_new("load", &PERCENT);
    hist_add(h, load, 6, BINS);
    hist_print(h);
    hist_decay(h);
    hist_print(h);
    free(h);
    return 0;
}
