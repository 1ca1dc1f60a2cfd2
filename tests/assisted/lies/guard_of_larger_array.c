/* attack: flags=-O0; values=set_show:s,set_show:s->name,set_show:&s->name,set_show:&s->items[5],set_show:&s->marks[4],main:s */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct set { long items[5]; long marks[4]; char *name; unsigned used, marked; };
static void set_add(struct set *s, long item)
{
    if (s->used > 4)
        return;
    s->items[s->used++] = item;
}
static void set_mark(struct set *s, long mark)
{
    s->marks[s->marked++] = mark; /*!*/
}
static void set_show(struct set *s)
{
    printf("%c %u\n", s->name[0], s->used);
}
int main(void)
{
    struct set *s = calloc(1, sizeof *s);
    s->name = strdup("first");
    for (long i = 0; i < 6; i++)
        set_add(s, 7);
    for (long i = 0; i < 5; i++)
        set_mark(s, 7);
    set_show(s);
    return 0;
}
