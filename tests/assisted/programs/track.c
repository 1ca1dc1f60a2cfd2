#include "track.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct track *track_new(const char *title, uint32_t frames, uint32_t channels)
{
    struct track *track = calloc(1, sizeof *track);
    if (track == NULL)
        return NULL;
    snprintf(track->title, sizeof track->title, "%s", title);
    track->frames = frames;
    track->channels = channels;
    track->length = frames * channels;
    track->samples = malloc(track->length * sizeof *track->samples);
    if (track->samples == NULL) {
        free(track);
        return NULL;
    }
    memset(track->samples, 0, track->length * sizeof *track->samples);
    return track;
}

void track_fill(struct track *track, int16_t level)
{
    int16_t *out = track->samples;
    for (uint32_t frame = 0; frame < track->frames; frame++) {
        for (uint32_t channel = 0; channel < track->channels; channel++) {
            int16_t swing = (int16_t)((frame % 64) - 32);
            *out++ = (int16_t)(level + swing * (channel ? -1 : 1));
        }
    }
}

void session_add(struct session *session, struct track *track)
{
    track->next = NULL;
    if (session->last != NULL)
        session->last->next = track;
    else
        session->first = track;
    session->last = track;
    session->count++;
}

void session_close(struct session *session)
{
    struct track *track = session->first;
    while (track != NULL) {
        struct track *next = track->next;
        free(track->samples);
        free(track);
        track = next;
    }
    session->first = NULL;
    session->last = NULL;
    session->count = 0;
}
