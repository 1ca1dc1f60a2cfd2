/* Two threads that take two locks in opposite orders. flags: -g -O0 -pthread  kind: hang */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct shelf {
    pthread_mutex_t lock;
    int items;
};

/* Who goes on when; the three are met in this order whatever else the machine does. */
enum { OPENED = 1, TAKING, FILLING };
static volatile int stage;

static struct shelf front = {PTHREAD_MUTEX_INITIALIZER, 10};
static struct shelf store = {PTHREAD_MUTEX_INITIALIZER, 100};

static void reach(int wanted) {
    while (stage < wanted)
        usleep(1000);
}

static void refill(int count) {
    pthread_mutex_lock(&front.lock);
    if (stage == TAKING)
        stage = FILLING;
    pthread_mutex_lock(&store.lock);
    store.items -= count;
    front.items += count;
    pthread_mutex_unlock(&store.lock);
    pthread_mutex_unlock(&front.lock);
}

static void take_back(int count) {
    pthread_mutex_lock(&store.lock); /* origin take_back */
    stage = TAKING;
    reach(FILLING);
    pthread_mutex_lock(&front.lock);
    front.items -= count;
    store.items += count;
    pthread_mutex_unlock(&front.lock);
    pthread_mutex_unlock(&store.lock);
}

static void *morning(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++)
        refill(2);
    stage = OPENED;
    reach(TAKING);
    refill(5);
    return NULL;
}

static void *evening(void *unused) {
    (void)unused;
    reach(OPENED);
    take_back(3);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, morning, NULL);
    pthread_create(&threads[1], NULL, evening, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%d %d\n", front.items, store.items);
    return 0;
}
