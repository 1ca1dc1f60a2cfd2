/* attack: flags=-O0; values=set_show:s,set_show:s->name,set_show:&s->name,set_show:&s->items[4],main:s */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct set { long items[4]; char *name; unsigned used; };
static void set_add(struct set *s, long item)
{
    if (s->used > 4)
        return;
    s->items[s->used] = item;
    s->used++;
}
static void set_load(struct set *s, const long *from, unsigned many)
{
    memcpy(s->items, from, many * sizeof *from); /*!*/
    s->used = many; /*!*/
}
static void set_show(struct set *s)
{
    printf("%c %u\n", s->name[0], s->used);
}
int main(void)
{
    static const long from[] = {1, 2, 3, 4, 5};
    struct set *s = calloc(1, sizeof *s);
    s->name = strdup("first");
    set_add(s, 5);
    set_load(s, from, 5); /*!*/
    set_show(s);
    return 0;
}
