#include <stdlib.h>
#include <string.h>
struct wave { int *samples; int count; int room; };
struct player { long *device; long pad[2]; };
static void wave_init(struct wave *w, int room)
{
    w->room = room;
    w->count = 4;
    w->samples = calloc(room, sizeof *w->samples);
}
static void wave_gain(struct wave *w, int gain)
{
    for (int i = 0; i < w->count; i++)
        w->samples[i] = w->samples[i] * gain;
}
static void wave_append(struct wave *w, const int *src, int k)
{
    memcpy(w->samples + w->count, src, k * sizeof *src);
    w->count += k;
}
static long play(struct player *p)
{
    return *p->device;
}
int main(int argc, char **argv)
{
    static long dev = 1;
    static int data[12];
    for (int i = 0; i < 12; i++)
        data[i] = 0x51510000 + i * argc;
    struct wave w;
    wave_init(&w, 8);
    struct player *p = malloc(sizeof *p);
    p->device = &dev;
    wave_gain(&w, 3);
    wave_append(&w, data, 12);
    return (int)play(p);
}
