/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct font { int size; const char *face; };
struct style { int colour; struct font *font; };
struct canvas { int width; struct style *style; };
static struct canvas *canvas_new(int width)
{
    struct canvas *c = calloc(1, sizeof *c);
    c->width = width;                         /*!*/
    return c;
}
static struct style *styled(struct canvas *c)
{
    return c->style;
}
static int draw(struct canvas *c, struct style *style, const char *text)
{
    struct style *own = styled(c);
    if (style != NULL)
        own = style;
    return own->colour * (int)strlen(text);
}
static struct style *theme(struct style *all, int at)
{
    return all[at].font ? &all[at] : NULL;
}
int main(void)
{
    static struct style black = { 1, NULL };
    struct canvas *a = canvas_new(80), *b = canvas_new(40);
    a->style = &black;
    draw(a, NULL, "first");
    int w = draw(b, NULL, "second");
    w += draw(b, theme(&black, 0), "third");
    printf("%d\n", w);
    return 0;
}
