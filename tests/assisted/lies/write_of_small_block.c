/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct colour { unsigned char r, g, b, a; };
struct palette { int count; struct colour *entries; const char *name; };
struct image { struct palette *palette; int width, height; unsigned char *pixels; };
static struct palette *palette_new(const char *name, int count)
{
    struct palette *p = malloc(sizeof *p);
    p->name = name;
    p->count = count;
    p->entries = malloc(count); /*!*/
    return p;
}
static struct image *image_new(struct palette *palette, int width, int height)
{
    struct image *i = malloc(sizeof *i);
    i->palette = palette;
    i->width = width;
    i->height = height;
    i->pixels = calloc(width, height);
    return i;
}
static void palette_ramp(struct palette *p, int step)
{
    for (int at = 0; at < p->count; at++) {
        p->entries[at].r = at * step;
        p->entries[at].g = at * step;
        p->entries[at].b = 255 - at;
        p->entries[at].a = 255;
    }
}
static int image_sum(const struct image *i)
{
    int sum = 0;
    for (int at = 0; at < i->width * i->height; at++)
        sum += i->palette->entries[i->pixels[at]].r;
    return sum;
}
int main(void)
{
    struct palette *p = palette_new("grey", 40);
    struct image *i = image_new(p, 8, 4);
    printf("%s %d\n", p->name, p->count);
    palette_ramp(p, 6);
    printf("%d\n", image_sum(i));
    free(i->pixels);
    free(i);
    return 0;
}
