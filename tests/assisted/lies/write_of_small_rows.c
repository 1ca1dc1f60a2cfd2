/* attack: flags=-O0 */
#include <stdlib.h>
#include <string.h>
struct image { unsigned short wide, high, size; char *bits; };
struct layer { struct image *image; long *by; };
static long plain = 1;
static struct image *image(int wide, int high)
{
    struct image *made = malloc(sizeof *made);
    made->wide = wide;
    made->high = high;
    made->size = wide * high; /*!*/
    made->bits = malloc(made->size);
    return made;
}
static void fill(struct image *one, int with)
{
    for (int row = 0; row < one->high; row++)
        memset(one->bits + row * one->wide, with, one->wide);
}
int main(int count, char **words)
{
    struct image *one = image(256 * count, 257);
    struct layer *layer = malloc(sizeof *layer);
    layer->image = one;
    layer->by = &plain;
    fill(one, 'x');
    return (int)*layer->by + (words == NULL);
}
