/* A search that never gets nearer. flags: -g -O0  kind: hang */
#include <stdio.h>
#include <stdlib.h>

struct range {
    long low;
    long high;
};

static long cost(long at) {
    return at * at;
}

static long find_root(struct range range, long wanted) {
    for (long at; range.low + 1 < range.high || range.high > 0; at = (range.low + range.high) / 2, cost(at) < wanted ? (range.low = at) : (range.high = at)); /* origin find_root */
    return range.low;
}

int main(void) {
    struct range range = {0, 1000};
    printf("%ld\n", find_root(range, 777));
    return 0;
}
