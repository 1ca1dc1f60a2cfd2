/* attack: flags=-O0; values=radio_report:r,radio_report:r->owner,main:r,radio_report:&r->owner,radio_push:r,radio_push:r->head */
/* A radio keeps the last samples it heard in a ring. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING 16

struct owner {
    char name[20];
    unsigned reports;
};

struct radio {
    unsigned head, heard;
    unsigned long ring[RING];
    struct owner *owner;
    unsigned long peak;
};

static struct owner *owner_new(const char *name)
{
    struct owner *o = calloc(1, sizeof *o);
    snprintf(o->name, sizeof o->name, "%s", name);
    return o;
}

static struct radio *radio_new(const char *name)
{
    struct radio *r = calloc(1, sizeof *r);
    r->owner = owner_new(name);
    return r;
}

static void radio_push(struct radio *r, unsigned long sample)
{
    if (r->head < RING)
        r->ring[r->head] = sample;
    r->head = (r->head + 1) % (RING + 1);
    r->heard++;
    if (sample > r->peak)
        r->peak = sample;
}

static void radio_mark(struct radio *r, unsigned long sample)
{
    r->ring[r->heard - 2] = sample; /*!*/
}

static unsigned long radio_mean(const struct radio *r)
{
    unsigned long sum = 0;
    unsigned n = r->heard < RING ? r->heard : RING;
    for (unsigned i = 0; i < n; i++)
        sum += r->ring[i];
    return n ? sum / n : 0;
}

static void radio_report(struct radio *r)
{
    r->owner->reports++;
    printf("%s: %lu of %lu\n", r->owner->name, radio_mean(r), r->peak);
}

int main(void)
{
    struct radio *r = radio_new("ship");
    unsigned long sample = 7;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 9; i++) {
            sample = (sample * 1103515245 + 12345) % 40000;
            radio_push(r, sample);
        }
        radio_mark(r, sample);
        radio_report(r);
    }
    free(r->owner);
    free(r);
    return 0;
}
