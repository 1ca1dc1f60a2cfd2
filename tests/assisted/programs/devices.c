#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct device {
    const char *name;
    int rate;
    int channels;
};

struct track {
    struct device *device;
    int volume;
    struct track *next;
};

struct mixer {
    struct device devices[4];
    int known;
    struct track *tracks;
    int count;
};

static struct device *device_find(struct mixer *m, const char *name)
{
    for (int i = 0; i < m->known; i++)
        if (strcmp(m->devices[i].name, name) == 0)
            return &m->devices[i];
    return NULL;
}

static struct track *track_new(struct mixer *m, const char *device, int volume)
{
    struct track *track = malloc(sizeof *track);
    if (track == NULL)
        abort();
    track->device = device_find(m, device);
    track->volume = volume;
    track->next = m->tracks;
    m->tracks = track;
    m->count++;
    return track;
}

static void mixer_know(struct mixer *m, const char *name, int rate, int channels)
{
    struct device *d = &m->devices[m->known++];
    d->name = name;
    d->rate = rate;
    d->channels = channels;
}

static long mixer_bandwidth(const struct mixer *m)
{
    long total = 0;
    for (const struct track *t = m->tracks; t != NULL; t = t->next)
        if (t->volume > 0)
            total += (long)t->device->rate * t->device->channels;
    return total;
}

int main(int argc, char **argv)
{
    struct mixer m = { 0 };
    mixer_know(&m, "speakers", 48000, 2);
    mixer_know(&m, "headset", 16000, 1);
    track_new(&m, "speakers", 80);
    track_new(&m, argc > 1 ? argv[1] : "bluetooth", 60);
    track_new(&m, "headset", 0);
    printf("%d tracks\n", m.count);
    printf("%ld\n", mixer_bandwidth(&m));
    return 0;
}
