/* attack: flags=-O1; values=trail_speed:t,trail_speed:last,trail_speed:t->at,trail_speed:fix,main:t,trail_last:t,report:f,report:fix,report:t */
/* The last positions of a receiver, in a ring. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIXES 16

struct station {
    char name[12];
    double lat, lon;
};

struct fix {
    double lat, lon;
    long time;
    struct station *by;
};

struct trail {
    struct station *home;
    long begun;
    struct fix fixes[FIXES];
    int at;
    int count;
};

static __attribute__((noinline)) struct trail *trail_new(struct station *home)
{
    struct trail *t = calloc(1, sizeof *t);
    t->home = home;
    t->begun = 1700000000;
    return t;
}

static __attribute__((noinline)) void trail_add(struct trail *t, double lat, double lon, long time, struct station *by)
{
    struct fix *f = &t->fixes[t->at];
    f->lat = lat;
    f->lon = lon;
    f->time = time;
    f->by = by;
    t->at = (t->at + 1) % FIXES;
    if (t->count < FIXES)
        t->count++;
}

static __attribute__((noinline)) struct fix *trail_last(struct trail *t, int back)
{
    int slot = (t->at + FIXES - 1 - back) % FIXES;
    return &t->fixes[slot];
}

static __attribute__((noinline)) void report(struct trail *t, int back)
{
    struct fix *f = trail_last(t, back);
    printf("%ld %.4f %.4f by %s at %.3f\n", f->time - t->begun, f->lat, f->lon, f->by->name, f->by->lat);
}

int main(void)
{
    struct station *near = calloc(1, sizeof *near), *far = calloc(1, sizeof *far);
    strcpy(near->name, "near");
    strcpy(far->name, "far");
    struct trail *t = trail_new(near);
    for (int i = 0; i < 21; i++) {
        trail_add(t, 47.0 + i * 0.001, 8.0 + i * 0.002, 1700000000 + i, i % 3 ? near : far);
        if (i >= 4 && i % 5 == 0)
            for (int back = 0; back < 4; back++)
                report(t, back);
    }
    report(t, 31); /*!*/
    report(t, 36); /*!*/
    return 0;
}
