#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int entries;

__attribute__((noinline)) static int refill(void)
{
    pthread_mutex_lock(&lock);
    entries += 8;
    pthread_mutex_unlock(&lock);
    return entries;
}

__attribute__((noinline)) static int get(int key)
{
    int found;

    pthread_mutex_lock(&lock);
    found = key < entries ? key : refill();
    pthread_mutex_unlock(&lock);
    return found;
}

int main(void)
{
    printf("%d\n", get(3));
    return 0;
}
