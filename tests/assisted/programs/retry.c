/* What goes round is a goto within a loop, and the loop is not to blame. */
#include <stdio.h>

struct ring {
    int head, tail, most;
};

static long pull(struct ring *ring)
{
    long sum = 0;
    for (int at = 0; at < ring->most; at++) {
    again:
        sum += at;
        if (ring->head != ring->tail)
            goto again;
        ring->head = 0;
    }
    return sum;
}

int main(void)
{
    struct ring ring = {1, 2, 3};
    printf("%ld\n", pull(&ring));
    return 0;
}
