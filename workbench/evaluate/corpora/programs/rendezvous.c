#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t asked, answered;

__attribute__((noinline)) static void ask(void)
{
    sem_wait(&answered);
    sem_post(&asked);
}

__attribute__((noinline)) static void answer(void)
{
    sem_wait(&asked);
    sem_post(&answered);
}

static void *reply(void *unused)
{
    answer();
    return unused;
}

int main(void)
{
    pthread_t other;

    sem_init(&asked, 0, 0);
    sem_init(&answered, 0, 0);
    pthread_create(&other, NULL, reply, NULL);
    ask();
    pthread_join(other, NULL);
    puts("done");
    return 0;
}
