/* attack: flags=-O0; values=channel_flush:channel->sink,channel_flush:channel->records[8] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS 8

struct record {
    uint32_t stamp;
    uint32_t code;
};

struct sink {
    const char *name;
    unsigned long written;
};

struct channel {
    unsigned id;
    unsigned next;
    struct record records[RECORDS];
    struct sink *sink;
    unsigned long total;
};

struct log {
    struct channel *channels;
    unsigned count;
    uint32_t clock;
};

static struct log *log_new(unsigned count)
{
    struct log *log = calloc(1, sizeof *log);

    log->channels = calloc(count, sizeof *log->channels);
    log->count = count;
    log->clock = 1700000000u;
    return log;
}

static void channel_attach(struct channel *channel, unsigned id, struct sink *sink)
{
    channel->id = id;
    channel->sink = sink;
}

static void channel_put(struct log *log, struct channel *channel, uint32_t code)
{
    struct record *record = &channel->records[channel->next];

    record->stamp = log->clock++; /*!*/
    record->code = code; /*!*/
    channel->next = (channel->next + 1) % RECORDS;
    channel->total++;
}

static void channel_rebase(struct channel *channel, uint32_t base)
{
    for (unsigned at = 0; at <= RECORDS; at++)
        channel->records[at].stamp -= base;
}

static void channel_skip(struct channel *channel, unsigned by)
{
    channel->next += by; /*!*/
}

static void log_rebase(struct log *log)
{
    uint32_t base = log->clock;

    for (unsigned at = 0; at < log->count; at++)
        channel_rebase(&log->channels[at], base);
    log->clock = 0;
}

static unsigned channel_flush(struct channel *channel)
{
    struct sink *sink = channel->sink;
    unsigned flushed = 0;

    for (unsigned at = 0; at < RECORDS; at++) {
        if (channel->records[at].code == 0)
            continue;
        sink->written += sizeof channel->records[at];
        flushed++;
    }
    return flushed;
}

int main(void)
{
    static struct sink file = {"file", 0}, net = {"net", 0};
    struct log *log = log_new(3);
    unsigned flushed = 0;

    channel_attach(&log->channels[0], 10, &file);
    channel_attach(&log->channels[1], 11, &net);
    channel_attach(&log->channels[2], 12, &file);
    for (uint32_t code = 1; code <= 40; code++)
        channel_put(log, &log->channels[code % 3], code);
    for (unsigned at = 0; at < log->count; at++)
        flushed += channel_flush(&log->channels[at]);
    if (flushed > 1000)
        log_rebase(log);
    channel_skip(&log->channels[0], 8 - log->channels[0].next);
    log->clock = 7;
    channel_put(log, &log->channels[0], 17);
    for (uint32_t code = 1; code <= 7; code++)
        channel_put(log, &log->channels[code % 3], code);
    for (unsigned at = 0; at < log->count; at++)
        flushed += channel_flush(&log->channels[at]);
    printf("%u %lu %lu\n", flushed, file.written, net.written);
    return 0;
}
