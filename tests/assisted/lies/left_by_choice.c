/* attack: flags=-O0; values=pick:kind,draw:by,draw:s,main:s,main:&set */
/* The kind of a shape was written over by a name that is too long: each kind has its own pen. */
#include <stdio.h>
#include <string.h>

enum kind { LINE, CIRCLE };
struct pen { int width; const char *colour; };
struct shape { char name[8]; enum kind kind; };
static struct pen pens[2] = {{1, "black"}, {3, "red"}};

static struct pen *pick(enum kind kind)
{
    struct pen *by;
    switch (kind) {
    case LINE:
        by = &pens[0];
        break;
    case CIRCLE:
        by = &pens[1];
        break;
    }
    return by;
}

static void draw(struct shape *s)
{
    struct pen *by = pick(s->kind);
    printf("%s %s\n", s->name, by->colour);
}

static long sum(int n)
{
    volatile long values[12];
    for (int i = 0; i < 12; i++)
        values[i] = 0x3030303030303030 + n;
    return values[3];
}

int main(void)
{
    struct shape set[2] = {{"edge", LINE}, {"ring", CIRCLE}};
    draw(&set[1]);
    strcpy(set[0].name, "edge-left"); /*!*/
    printf("%ld\n", sum(3));
    draw(&set[0]);
    return 0;
}
