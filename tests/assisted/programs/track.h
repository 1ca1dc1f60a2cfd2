#ifndef TRACK_H
#define TRACK_H
#include <stddef.h>
#include <stdint.h>

struct track {
    char title[16];
    uint32_t frames;
    uint32_t channels;
    uint16_t length;
    int16_t *samples;
    struct track *next;
};

struct session {
    struct track *first;
    struct track *last;
    size_t count;
    uint32_t rate;
};

struct track *track_new(const char *title, uint32_t frames, uint32_t channels);
void track_fill(struct track *track, int16_t level);
void session_add(struct session *session, struct track *track);
void session_close(struct session *session);
#endif
