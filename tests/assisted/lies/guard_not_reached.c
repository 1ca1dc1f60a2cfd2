/* attack: flags=-O0; values=set_show:s,set_show:s->name,set_show:&s->name,set_show:&s->items[4],main:s */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct set { long items[4]; char *name; unsigned used; };
static void set_add(struct set *s, long item)
{
    if (s->used > 4)
        return;
    s->items[s->used++] = item;
}
static void set_fill(struct set *s, long with, unsigned many)
{
    for (unsigned i = 0; i < many; i++)
        s->items[i] = with; /*!*/
}
static void set_show(struct set *s)
{
    printf("%c %u\n", s->name[0], s->used);
}
int main(void)
{
    struct set *s = calloc(1, sizeof *s);
    s->name = strdup("first");
    set_fill(s, 3, 5); /*!*/
    for (long i = 1; i < 4; i++)
        set_add(s, 3);
    set_show(s);
    return 0;
}
