/* Collects samples of a few channels in one arena and writes a line for each channel. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena {
    unsigned char *base;
    size_t used;
    size_t size;
};

struct sink {
    const char *label;
    const char *unit;
    long lines;
};

struct channel {
    int id;
    size_t count;
    int32_t *samples;
    struct sink *sink;
};

struct recorder {
    struct arena arena;
    struct channel *channels;
    size_t channel_count;
};

static void *arena_take(struct arena *arena, size_t bytes)
{
    size_t rounded = (bytes + 15) & ~(size_t)15;
    void *block = arena->base + arena->used;

    if (arena->used + rounded > arena->size)
        return NULL;
    arena->used += rounded;
    memset(block, 0, rounded);
    return block;
}

static int arena_open(struct arena *arena, size_t size)
{
    arena->base = malloc(size);
    arena->used = 0;
    arena->size = size;
    return arena->base != NULL;
}

static struct sink *sink_open(struct arena *arena, const char *label, const char *unit)
{
    struct sink *sink = arena_take(arena, sizeof *sink);

    if (sink == NULL)
        return NULL;
    sink->label = label;
    sink->unit = unit;
    return sink;
}

static int channel_open(struct recorder *recorder, struct channel *channel, int id, size_t count,
                        const char *label)
{
    channel->id = id;
    channel->count = count;
    channel->samples = arena_take(&recorder->arena, count);
    channel->sink = sink_open(&recorder->arena, label, "mV");
    return channel->samples != NULL && channel->sink != NULL;
}

static void channel_record(struct channel *channel, int32_t first, int32_t step)
{
    for (size_t at = 0; at < channel->count; at++)
        channel->samples[at] = first + (int32_t)at * step;
}

static int64_t channel_mean(const struct channel *channel)
{
    int64_t sum = 0;

    for (size_t at = 0; at < channel->count; at++)
        sum += channel->samples[at];
    return channel->count != 0 ? sum / (int64_t)channel->count : 0;
}

static int same_unit(const struct sink *one, const struct sink *other)
{
    return one == other || one->unit[0] == other->unit[0];
}

static int compatible(const struct recorder *recorder)
{
    const struct channel *first = &recorder->channels[0];
    int same = 1;

    for (size_t at = 1; at < recorder->channel_count; at++)
        same &= same_unit(first->sink, recorder->channels[at].sink);
    return same;
}

static void write_lines(struct recorder *recorder)
{
    for (size_t at = 0; at < recorder->channel_count; at++) {
        struct channel *channel = &recorder->channels[at];

        printf("%d %" PRId64 "\n", channel->id, channel_mean(channel));
        channel->sink->lines++;
    }
}

int main(void)
{
    static struct channel channels[3];
    static const char *const labels[] = {"supply", "motor", "heater"};
    struct recorder recorder = {.channels = channels, .channel_count = 3};

    if (!arena_open(&recorder.arena, 4096))
        return 1;
    for (int id = 0; id < 3; id++)
        if (!channel_open(&recorder, &channels[id], id, 48, labels[id]))
            return 1;
    for (int id = 2; id >= 0; id--)
        channel_record(&channels[id], 1000 * (id + 1), 7);
    write_lines(&recorder);
    if (!compatible(&recorder))
        puts("units differ");
    return 0;
}
