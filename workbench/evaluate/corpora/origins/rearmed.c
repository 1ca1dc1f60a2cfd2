/* Timers in a sorted list; one that is armed twice makes a cycle. */
#include <stdio.h>
#include <stdlib.h>

struct timer {
    long when;
    int id;
    void (*fire)(struct timer *);
    struct timer *next;
};

static struct timer *queue;
static long now;
static int fired;

static void arm(struct timer *t, long when)
{
    struct timer **at = &queue;
    t->when = when;
    while (*at && (*at)->when <= when)
        at = &(*at)->next;
    t->next = *at;
    *at = t; /* origin arm */
}

static int pending(long until)
{
    int n = 0;
    for (struct timer *t = queue; t && t->when <= until; t = t->next)
        n++;
    return n;
}

static void tick(struct timer *t)
{
    fired++;
    if (t->id != 2)
        return;
    arm(t, now + 30);
}

static void advance(long to)
{
    while (queue && queue->when <= to) {
        struct timer *t = queue;
        queue = t->next;
        now = t->when;
        t->fire(t);
    }
    now = to;
}

static void touch(struct timer *t)
{
    if (t->when > now)
        arm(t, t->when + 5);
}

int main(void)
{
    struct timer timers[4];
    for (int i = 0; i < 4; i++) {
        timers[i].id = i;
        timers[i].fire = tick;
        arm(&timers[i], 10 * (i + 1));
    }
    advance(15);
    printf("%d\n", pending(100));
    touch(&timers[2]);
    printf("%d\n", pending(100));
    advance(200);
    printf("%d\n", fired);
    return 0;
}
