/* One thread empties what another got from a global before that was changed. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct config { int limit; int *weights; };
static struct config *live;
static pthread_barrier_t ready, changed;
static struct config *load(int limit)
{
    struct config *c = malloc(sizeof *c);
    c->limit = limit;
    c->weights = malloc(limit * sizeof(int));
    for (int i = 0; i < limit; i++)
        c->weights[i] = i;
    return c;
}
static void *reload(void *unused)
{
    pthread_barrier_wait(&ready);
    struct config *fresh = load(4), *old = live;
    live = fresh;
    old->weights = NULL; /* origin reload */
    pthread_barrier_wait(&changed);
    return unused;
}
static int weigh(const struct config *c)
{
    int sum = 0;
    for (int i = 0; i < c->limit; i++)
        sum += c->weights[i];
    return sum;
}
static void *serve(void *unused)
{
    struct config *mine = live;
    printf("%d\n", weigh(mine));
    pthread_barrier_wait(&ready);
    pthread_barrier_wait(&changed);
    printf("%d\n", weigh(mine));
    return unused;
}
int main(void)
{
    pthread_t a, b;
    live = load(8);
    pthread_barrier_init(&ready, NULL, 2);
    pthread_barrier_init(&changed, NULL, 2);
    pthread_create(&a, NULL, serve, NULL);
    pthread_create(&b, NULL, reload, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
