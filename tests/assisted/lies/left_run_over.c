/* attack: flags=-O0; values=tell:found,tell:t,tell:&label,main:t,main:&town */
/* What was found is run over by a name that is copied behind it. */
#include <stdio.h>
#include <string.h>

struct depot { const char *name; int open; };
struct town { struct depot *depots; int count; };
struct label { char text[8]; };

static struct depot *nearest(const struct town *t)
{
    struct depot *best;
    for (int i = 0; i < t->count; i++)
        if (t->depots[i].open)
            best = &t->depots[i];
    return best;
}

static void tell(const struct town *t, const char *goods)
{
    struct depot *found = nearest(t);
    struct label label;
    strcpy(label.text, goods); /*!*/
    printf("%s %s\n", label.text, found->name);
}

int main(void)
{
    struct depot depots[] = {{"north", 1}, {"harbour", 1}};
    struct town town = {depots, 2};
    tell(&town, "rope");
    tell(&town, "lanterns and oil");
    return 0;
}
