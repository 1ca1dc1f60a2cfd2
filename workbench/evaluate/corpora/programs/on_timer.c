#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct timer {
    int period;
    void (*expired)(struct timer *);
};

static void tick(struct timer *timer)
{
    printf("tick %d\n", timer->period);
}

static struct timer timers[] = {{10, tick}, {50, tick}, {100, 0}};

__attribute__((noinline)) static void expire(struct timer *timer)
{
    usleep(timer->period);
    timer->expired(timer);
}

static void *run(void *unused)
{
    for (unsigned at = 0; at < sizeof timers / sizeof *timers; at++)
        expire(&timers[at]);
    return unused;
}

int main(void)
{
    pthread_t loop;

    pthread_create(&loop, NULL, run, NULL);
    pthread_join(loop, NULL);
    return 0;
}
