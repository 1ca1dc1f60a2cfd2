// Three shelves, each with its lock; one of three workers takes two of them the other way round.
// flags: -g -O1 -pthread
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct shelf { pthread_mutex_t lock; int books; };
static struct shelf shelves[3] = {
    { PTHREAD_MUTEX_INITIALIZER, 10 }, { PTHREAD_MUTEX_INITIALIZER, 20 },
    { PTHREAD_MUTEX_INITIALIZER, 30 } };
static pthread_barrier_t start;

static void __attribute__((noinline)) move(struct shelf *from, struct shelf *to)
{
    pthread_mutex_lock(&from->lock);
    pthread_barrier_wait(&start);
    pthread_mutex_lock(&to->lock);
    from->books--;
    to->books++;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *first(void *unused) { move(&shelves[0], &shelves[1]); return unused; }
static void *second(void *unused) { move(&shelves[1], &shelves[2]); return unused; }
static void *third(void *unused) { move(&shelves[2], &shelves[0]); return unused; } // origin third

int main(void)
{
    pthread_t t[3];
    void *(*all[3])(void *) = { first, second, third };
    pthread_barrier_init(&start, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, all[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %d\n", shelves[0].books, shelves[1].books, shelves[2].books);
    return 0;
}
