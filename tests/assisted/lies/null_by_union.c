/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
struct style { int colour; int width; };
struct shape {
    int kind;
    int state;
    union {
        struct style *style;
        long serial;
    };
};
static struct style thin = { 1, 1 };
static struct shape *shape_new(int kind)
{
    struct shape *s = malloc(sizeof *s);
    s->kind = kind;
    s->style = &thin;
    s->state = 1;
    return s;
}
static void shape_hide(struct shape *s)
{
    s->style = NULL;
}
static void shape_number(struct shape *s, long n)
{
    s->serial = n;                            /*!*/
}
static int shape_ink(struct shape *s)
{
    return s->style->colour + s->state;
}
int main(void)
{
    struct shape *a = shape_new(1), *b = shape_new(2);
    shape_hide(b);
    shape_number(a, 0);
    printf("%d\n", shape_ink(a));
    return 0;
}
