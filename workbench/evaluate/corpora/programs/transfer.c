#include <pthread.h>
#include <stdio.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account left = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account right = {PTHREAD_MUTEX_INITIALIZER, 100};
static pthread_barrier_t both;

__attribute__((noinline)) static void move(struct account *from, struct account *to, long sum)
{
    pthread_mutex_lock(&from->lock);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&to->lock);
    from->balance -= sum;
    to->balance += sum;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *forth(void *unused)
{
    move(&left, &right, 10);
    return unused;
}

static void *back(void *unused)
{
    move(&right, &left, 20);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&a, NULL, forth, NULL);
    pthread_create(&b, NULL, back, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
