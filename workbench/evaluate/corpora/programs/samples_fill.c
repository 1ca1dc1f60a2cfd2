#include <stdio.h>
#include <stdlib.h>

struct recording {
    int rate;
    int seconds;
    short *samples;
};

__attribute__((noinline)) static void synthesise(struct recording *recording)
{
    for (int at = 0; at < recording->rate * recording->seconds; at++)
        recording->samples[at] = at % 200;
}

int main(void)
{
    struct recording recording = {44100, 60, NULL};

    recording.samples = malloc(recording.rate * sizeof *recording.samples);
    synthesise(&recording);
    printf("%d\n", recording.samples[100]);
    return 0;
}
