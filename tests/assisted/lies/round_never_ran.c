/* attack: flags=-O0; values=take:t->per_tick,take:t,take:&t->per_tick */
#include <stdio.h>
#include <stdlib.h>
struct rate { unsigned per_second; unsigned per_tick; unsigned tokens; };
static struct rate *rate_new(unsigned per_second) /*!*/
{
    struct rate *t = calloc(1, sizeof *t); /*!*/
    t->per_second = per_second;
    return t;
}
static void start(struct rate *t, unsigned ticks)
{
    t->per_tick = t->per_second / 64;
    t->tokens = ticks;
}
static unsigned take(struct rate *t, unsigned n)
{
    return n / t->per_tick;
}
int main(int argc, char **argv)
{
    struct rate *one = rate_new(6400);
    struct rate *two = rate_new(40);
    start(one, (unsigned)argc);
    if (argc > 5)
        start(two, 2);
    printf("%u %s\n", take(one, 40) + take(two, 40), argv[0]);
    return 0;
}
