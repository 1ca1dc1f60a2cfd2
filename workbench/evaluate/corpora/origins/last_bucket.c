/* Counts values in buckets; the table is made with one bucket too few for the last value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct histogram { int low, high, width, n; unsigned long *buckets; char *title; };

static struct histogram *histogram_new(int low, int high, int width)
{
    struct histogram *h = calloc(1, sizeof *h);
    h->low = low;
    h->high = high;
    h->width = width;
    h->n = (high - low) / width;
    h->buckets = calloc((size_t)h->n, sizeof *h->buckets);
    h->title = strdup("a title");
    return h;
}

static void add(struct histogram *h, int value)
{
    if (value < h->low || value > h->high)
        return;
    h->buckets[(value - h->low) / h->width]++; /* origin add */
}

static void merge(struct histogram *to, const struct histogram *from)
{
    for (int i = 0; i < from->n; i++)
        to->buckets[i] += from->buckets[i];
}

static void histogram_free(struct histogram *h)
{
    free(h->title);
    free(h->buckets);
    free(h);
}

int main(void)
{
    struct histogram *a = histogram_new(0, 70, 10), *b = histogram_new(0, 70, 10);
    for (int i = 0; i < 142; i++) {
        add(a, i % 71);
        add(b, i % 71);
    }
    merge(a, b);
    printf("%s %lu\n", a->title, a->buckets[0]);
    histogram_free(b);
    histogram_free(a);
    return 0;
}
