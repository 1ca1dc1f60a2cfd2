#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void *book(void *sum)
{
    pthread_mutex_lock(&lock);
    if (*(int *)sum < 0)
        return NULL;
    balance += *(int *)sum;
    pthread_mutex_unlock(&lock);
    return NULL;
}

__attribute__((noinline)) static int read_balance(void)
{
    int now;

    pthread_mutex_lock(&lock);
    now = balance;
    pthread_mutex_unlock(&lock);
    return now;
}

int main(void)
{
    int sums[] = {40, -5};
    pthread_t clerk;

    for (int at = 0; at < 2; at++) {
        pthread_create(&clerk, NULL, book, &sums[at]);
        pthread_join(clerk, NULL);
    }
    printf("%d\n", read_balance());
    return 0;
}
