#include "track.h"
#include <stdio.h>
#include <stdlib.h>

struct meter {
    int32_t peak;
    int64_t sum;
    uint32_t seen;
};

static void meter_add(struct meter *meter, int16_t sample)
{
    int32_t size = sample < 0 ? -sample : sample;
    if (size > meter->peak)
        meter->peak = size;
    meter->sum += sample;
    meter->seen++;
}

static __attribute__((noinline)) int32_t loudest(const struct track *track, struct meter *meter)
{
    int32_t best = 0;
    for (; track != NULL; track = track->next) {
        for (uint32_t at = 0; at < track->length; at++)
            meter_add(meter, track->samples[at]);
        if (meter->peak > best)
            best = meter->peak;
    }
    return best;
}

static void report(const struct session *session, const struct meter *meter)
{
    printf("%zu tracks at %u Hz, peak %d, %u samples\n", session->count, session->rate,
           meter->peak, meter->seen);
}

int main(void)
{
    struct session session = {.rate = 48000};
    struct meter meter = {0};
    struct track *voice = track_new("voice", 400, 1);
    struct track *room = track_new("room", 33000, 2);
    struct track *drums = track_new("drums", 900, 2);
    struct track *bass = track_new("bass", 1200, 1);
    if (voice == NULL || room == NULL || drums == NULL || bass == NULL)
        return 1;
    session_add(&session, voice);
    session_add(&session, room);
    session_add(&session, drums);
    session_add(&session, bass);
    track_fill(voice, 300);
    track_fill(room, 8200);
    loudest(session.first, &meter);
    report(&session, &meter);
    session_close(&session);
    return 0;
}
