#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER;
static int table[4] = {0, 2, 4, 6};

__attribute__((noinline)) static void insert(int at, int value)
{
    pthread_rwlock_wrlock(&guard);
    table[at] = value;
    pthread_rwlock_unlock(&guard);
}

__attribute__((noinline)) static int get(int at)
{
    int value;

    pthread_rwlock_rdlock(&guard);
    if (table[at] == 0)
        insert(at, 1);
    value = table[at];
    pthread_rwlock_unlock(&guard);
    return value;
}

int main(void)
{
    printf("%d\n", get(2));
    printf("%d\n", get(0));
    return 0;
}
