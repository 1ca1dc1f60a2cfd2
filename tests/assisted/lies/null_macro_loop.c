/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define FOREVER for (;;)
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

static int shape_ink(struct shape *s)
{
    return s->style->colour + s->state;
}
int main(void)
{
    struct shape *a = shape_new(0, -2), *b = shape_new(3, 4);

    tidy(b);
    for (int i = 0; i < 1; i++) ;
    FOREVER {
    (void)shape_ink(a);
    a->style = NULL; /*!*/
    }
    int v = shape_ink(a);
    printf("%d\n", v);

    return 0;
}
