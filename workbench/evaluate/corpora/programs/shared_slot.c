#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

struct job {
    int cost;
};

static struct job job = {4};
static struct job *volatile slot = &job;
static sem_t looked, cleared; /* the worst moment, every time */

__attribute__((noinline)) static int take(int first)
{
    if (slot == NULL)
        return 0;
    if (first) {
        sem_post(&looked);
        sem_wait(&cleared);
    }
    return slot->cost;
}

static void *clear(void *unused)
{
    sem_wait(&looked);
    slot = NULL;
    sem_post(&cleared);
    for (;;)
        pause();
    return unused;
}

int main(void)
{
    pthread_t other;

    sem_init(&looked, 0, 0);
    sem_init(&cleared, 0, 0);
    pthread_create(&other, NULL, clear, NULL);
    printf("%d\n", take(1));
    return 0;
}
