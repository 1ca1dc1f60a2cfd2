#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int events;

__attribute__((noinline)) static void count(void)
{
    pthread_mutex_lock(&lock);
    events++;
    pthread_mutex_unlock(&lock);
}

static void caught(int number)
{
    count();
}

__attribute__((noinline)) static void update(void)
{
    pthread_mutex_lock(&lock);
    events *= 2;
    raise(SIGUSR1);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    signal(SIGUSR1, caught);
    update();
    printf("%d\n", events);
    return 0;
}
