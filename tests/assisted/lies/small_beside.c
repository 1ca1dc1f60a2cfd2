/* attack: flags=-O1 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct format { int rate; const char *name; };
struct wave { int count; int32_t *samples; struct format *format; };
static struct format *format_new(int rate, const char *name)
{
    struct format *format = malloc(sizeof *format);
    format->rate = rate;
    format->name = name;
    return format;
}
static struct wave *wave_new(int count)
{
    struct wave *wave = malloc(sizeof *wave);
    wave->count = count;
    wave->samples = malloc(count * sizeof(int16_t));
    return wave;
}
static void wave_tone(struct wave *wave, int32_t level)
{
    for (int at = 0; at < wave->count; at++)
        wave->samples[at] = at % 2 ? level : -level;
}
static void bend(struct format *format, long by)
{
    format->name = (const char *)by;         /*!*/
}
__attribute__((noinline)) static int label(const struct wave *wave)
{
    return wave->format->name[0] + wave->format->rate;
}
int main(void)
{
    struct wave *left = wave_new(20);
    left->format = format_new(44100, "left");
    struct wave *right = wave_new(24);
    right->format = format_new(48000, "right");
    bend(left->format, -1000);
    wave_tone(right, 2000);
    printf("%d\n", label(left) + label(right));
    return 0;
}
