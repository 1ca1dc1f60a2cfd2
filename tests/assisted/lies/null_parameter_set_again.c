/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct style { int colour; int width; };
struct shape { long x; long y; struct style *style; int state; };
struct doc { struct shape *cur; int n; };
static struct style thin = { 1, 1 };

static struct shape *shape_new(long x, long y)
{
    struct shape *s = malloc(sizeof *s);
    s->x = x;
    s->y = y;
    s->style = &thin;
    s->state = 1;
    return s;
}
static void shape_hide(struct shape *s)
{
    s->style = NULL;
}
static void tidy(struct shape *one)
{
    shape_hide(one);
}
static void shape_plain(struct shape *s, struct shape *t)
{
    struct shape *u = s;
    s = t;
    if (u != t)
        s->style = NULL; /*!*/
}
static int shape_ink(struct shape *s)
{
    return s->style->colour + s->state;
}
int main(void)
{
    struct shape *a = shape_new(0, -2), *b = shape_new(3, 4);

    tidy(b);
    shape_plain(b, a);
    int v = shape_ink(a);
    printf("%d\n", v);

    return 0;
}
