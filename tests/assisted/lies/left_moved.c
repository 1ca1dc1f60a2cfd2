/* attack: flags=-O0; values=tell:found,tell:t,main:t,tell:t->depots,tell:t->count */
/* The table of what was found moves as it grows. */
#include <stdio.h>
#include <stdlib.h>

struct depot { const char *name; int open; char notes[240]; };
struct town { struct depot *depots; int count; };

static struct depot *nearest(const struct town *t)
{
    struct depot *best;
    for (int i = 0; i < t->count; i++)
        if (t->depots[i].open)
            best = &t->depots[i];
    return best;
}

static void grow(struct town *t, int count)
{
    struct depot *more = calloc(count, sizeof *more);
    for (int i = 0; i < t->count; i++)
        more[i] = t->depots[i];
    free(t->depots); /*!*/
    t->depots = more;
    t->count = count;
}

static void tell(struct town *t)
{
    struct depot *found = nearest(t);
    grow(t, t->count * 2);
    printf("%s\n", found->name);
}

int main(void)
{
    struct town *t = calloc(1, sizeof *t);
    grow(t, 4000);
    t->depots[7].open = 1;
    t->depots[7].name = "harbour";
    tell(t);
    return 0;
}
