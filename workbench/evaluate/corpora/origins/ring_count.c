/* A counter that one path takes too far, found by a check later. flags: -g -O0 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 8

struct ring {
    int slots[SLOTS];
    int head;
    int count;
};

static void push(struct ring *ring, int value) {
    ring->slots[(ring->head + ring->count) % SLOTS] = value;
    if (ring->count < SLOTS)
        ring->count++;
}

static int pop(struct ring *ring) {
    int value = ring->slots[ring->head];
    ring->head = (ring->head + 1) % SLOTS;
    ring->count--;
    return value;
}

static void drop_old(struct ring *ring, int keep) {
    int surplus = ring->count - keep + 1;
    ring->head = (ring->head + surplus) % SLOTS;
    ring->count -= surplus; /* origin drop_old */
}

static void verify(const struct ring *ring) {
    assert(ring->count >= 0);
}

static int step(struct ring *ring, int round) {
    int sum = 0;
    for (int i = 0; i < round % 5; i++)
        push(ring, round * 10 + i);
    if (round % 3 == 0)
        drop_old(ring, 0);
    while (ring->count > 3)
        sum += pop(ring);
    return sum;
}

int main(void) {
    struct ring *ring = calloc(1, sizeof *ring);
    int total = 0;
    for (int round = 1; round < 20; round++) {
        total += step(ring, round);
        verify(ring);
    }
    printf("%d\n", total);
    free(ring);
    return 0;
}
