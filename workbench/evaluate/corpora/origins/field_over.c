/* A label runs over into the function pointer behind it, byte by byte. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct button { int id; char label[12]; void (*click)(struct button *); struct button *next; };
static void clicked(struct button *b) { printf("%s\n", b->label); }
static struct button *all;
__attribute__((noinline)) static struct button *make(int id)
{
    struct button *b = calloc(1, sizeof *b);
    b->id = id;
    b->click = clicked;
    b->next = all;
    all = b;
    return b;
}
__attribute__((noinline)) static void set_label(struct button *b, const char *text)
{
    size_t i = 0;
    for (; text[i]; i++)
        b->label[i] = text[i]; /* origin set_label */
    b->label[i] = 0;
}
__attribute__((noinline)) static void press(int id)
{
    for (struct button *b = all; b; b = b->next)
        if (b->id == id)
            b->click(b);
}
int main(int argc, char **argv)
{
    set_label(make(1), "ok");
    set_label(make(2), "cancel");
    set_label(make(3), argc > 1 ? argv[1] : "try it once again");
    press(1);
    press(2);
    press(3);
    return 0;
}
