#include <pthread.h>
#include <stdio.h>

__attribute__((noinline)) static unsigned mix(volatile unsigned *state)
{
    for (;;)
        *state = *state * 1664525 + 1013904223;
}

static void *work(void *state)
{
    mix(state);
    return NULL;
}

int main(void)
{
    unsigned states[2] = {1, 2};
    pthread_t other;

    pthread_create(&other, NULL, work, &states[1]);
    puts("mixing");
    fflush(stdout);
    mix(&states[0]);
    return 0;
}
