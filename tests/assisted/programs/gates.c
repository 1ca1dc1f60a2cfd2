#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct gate {
    pthread_mutex_t inner;
    pthread_mutex_t outer;
    long passed;
};

static struct gate north, south;
static pthread_barrier_t both;

static void count(struct gate *gate)
{
    gate->passed++;
}

static void cross(struct gate *from, struct gate *to)
{
    pthread_mutex_lock(&from->inner);
    pthread_mutex_lock(&from->outer);
    count(from);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&to->outer);
    count(to);
    pthread_mutex_unlock(&to->outer);
    pthread_mutex_unlock(&from->outer);
    pthread_mutex_unlock(&from->inner);
}

static void *southwards(void *unused)
{
    cross(&north, &south);
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (struct gate *gate = &north; gate; gate = gate == &north ? &south : NULL) {
        pthread_mutex_init(&gate->inner, NULL);
        pthread_mutex_init(&gate->outer, NULL);
    }
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, southwards, NULL);
    cross(&south, &north);
    pthread_join(thread, NULL);
    printf("%ld\n", north.passed + south.passed);
    return 0;
}
