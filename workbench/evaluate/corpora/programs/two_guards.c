#include <pthread.h>

static pthread_rwlock_t users = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t rooms = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both; /* the worst moment, every time */

__attribute__((noinline)) static void enter(pthread_rwlock_t *first, pthread_rwlock_t *second)
{
    pthread_rwlock_wrlock(first);
    pthread_barrier_wait(&both);
    pthread_rwlock_wrlock(second);
    pthread_rwlock_unlock(second);
    pthread_rwlock_unlock(first);
}

static void *other(void *unused)
{
    enter(&rooms, &users);
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, other, NULL);
    enter(&users, &rooms);
    pthread_join(thread, NULL);
    return 0;
}
