/* attack: flags=-O1; values=stats_note:s,stats_note:s->report,main:s,stats_show:s,stats_show:s->report,counts_reset:counts,stats_show:s->bins,stats_show:&s->report,stats_show:&s->bins */
/* Statistics of response times, in bins, for a report. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS 24

struct report {
    char title[32];
    unsigned shown;
};

struct stats {
    uint32_t bins[BINS];
    uint64_t sum, most;
    struct report *report;
    unsigned long count;
};

static __attribute__((noinline)) void counts_set(uint32_t *counts, size_t count, uint32_t value)
{
    for (size_t i = 0; i < count; i++)
        counts[i] = value;
}

static __attribute__((noinline)) struct stats *stats_new(const char *title)
{
    struct stats *s = malloc(sizeof *s);
    counts_set(s->bins, BINS, 0);
    s->sum = s->most = 0;
    s->count = 0;
    s->report = calloc(1, sizeof *s->report);
    snprintf(s->report->title, sizeof s->report->title, "%s", title);
    return s;
}

static __attribute__((noinline)) void stats_note(struct stats *s, unsigned ms)
{
    unsigned bin = 0;
    while (bin + 1 < BINS && ms >> bin)
        bin++;
    s->bins[bin]++;
    s->sum += ms;
    if (ms > s->most)
        s->most = ms;
    s->count++;
}

static __attribute__((noinline)) void stats_clear(struct stats *s)
{
    counts_set(s->bins, sizeof s->bins, 0);
    s->sum = s->most = 0;
    s->count = 0;
}

static __attribute__((noinline)) void stats_show(struct stats *s)
{
    s->report->shown++;
    printf("%s (%u)\n", s->report->title, s->report->shown);
    for (int i = 0; i < BINS; i++)
        if (s->bins[i])
            printf("  < %u ms: %u\n", 1u << i, s->bins[i]);
}

int main(void)
{
    struct stats *s = stats_new("answers");
    char *log = calloc(1, 4096);
    for (unsigned i = 0; i < 500; i++)
        stats_note(s, i * 7 % 190);
    stats_show(s);
    stats_clear(s);
    s->report = calloc(1, sizeof *s->report);
    counts_set(s->bins + BINS / 2, BINS, 0); /*!*/
    for (unsigned i = 0; i < 20; i++)
        stats_note(s, i);
    stats_show(s);
    free(log);
    return 0;
}
