/* attack: flags=-O0; values=tell:found,main:found,tell:t */
/* What was found is set again by a reader, from a text. */
#include <stdio.h>
#include <string.h>

struct depot { const char *name; int open; };
struct town { struct depot *depots; int count; };

static struct depot *nearest(const struct town *t)
{
    struct depot *best;
    for (int i = 0; i < t->count; i++)
        if (t->depots[i].open)
            best = &t->depots[i];
    return best;
}

static void take(struct depot **into, const char *text)
{
    memcpy(into, text, sizeof *into); /*!*/
}

static void tell(const struct town *t, const char *text)
{
    struct depot *found = nearest(t);
    if (text)
        take(&found, text);
    printf("%s\n", found->name);
}

int main(void)
{
    struct depot depots[] = {{"north", 1}, {"harbour", 1}};
    struct town town = {depots, 2};
    tell(&town, NULL);
    tell(&town, "lanterns and oil");
    return 0;
}
