/* An order is made empty where other numbers lay on the stack before, and one kind of it never gets
   its rate: nothing was cleared, it was never set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rate {
    int percent;
};

struct order {
    long cents;
    const struct rate *rate;
    int kind;
};

static const struct rate usual = {19};

static long mixed(int rounds) {
    volatile long junk[48];
    for (int i = 0; i < 48; i++)
        junk[i] = (long)&junk[(i + rounds) % 48];
    return junk[rounds % 48];
}

static void take_order(struct order *out, int kind, long cents) {
    struct order order;
    memset(&order, 0, sizeof order); // origin take_order
    order.kind = kind;
    order.cents = cents;
    if (kind != 2)
        order.rate = &usual;
    *out = order;
}

static long taxed(const struct order *order) {
    return order->cents * order->rate->percent / 100;
}

int main(void) {
    struct order *all = malloc(4 * sizeof *all);
    for (int kind = 0; kind < 4; kind++) {
        if (mixed(kind) == 0)
            return 1;
        take_order(all + kind, kind, 100 * kind);
    }
    for (int kind = 0; kind < 4; kind++)
        printf("%ld\n", taxed(all + kind));
    return 0;
}
