#include <pthread.h>
#include <stdio.h>

static int pong(int n);

__attribute__((noinline)) static int ping(int n)
{
    volatile int work[64] = {n};

    return pong(n + 1) + work[0];
}

__attribute__((noinline)) static int pong(int n)
{
    volatile int work[32] = {n};

    return n < 0 ? 0 : ping(n + 1) + work[0];
}

static void *play(void *unused)
{
    printf("%d\n", ping(1));
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, play, NULL);
    pthread_join(thread, NULL);
    return 0;
}
