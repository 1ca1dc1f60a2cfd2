#include <pthread.h>

static pthread_barrier_t phase;

__attribute__((noinline)) static void *compute(void *part)
{
    pthread_barrier_wait(&phase);
    return part;
}

int main(void)
{
    pthread_t workers[3];

    pthread_barrier_init(&phase, NULL, 4);
    for (int number = 0; number < 3; number++)
        pthread_create(&workers[number], NULL, compute, NULL);
    for (int number = 0; number < 3; number++)
        pthread_join(workers[number], NULL);
    return 0;
}
