/* attack: flags=-O0; values=main:b->bits,main:b,main:b->count */
/* The block has room for all bits that it was asked for: later ones are counted without it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bitmap {
    size_t count;
    uint8_t *bits;
};

static struct bitmap *bitmap_new(size_t count)
{
    struct bitmap *b = malloc(sizeof *b);
    b->count = count;
    b->bits = malloc(count / 8);
    memset(b->bits, 0, count / 8);
    return b;
}

static void bitmap_more(struct bitmap *b, size_t more)
{
    b->count += more; /*!*/
}

static void bitmap_set(struct bitmap *b, size_t at)
{
    b->bits[at / 8] |= (uint8_t)(1u << at % 8);
}

int main(void)
{
    struct bitmap *b = bitmap_new(192);
    char *name = strdup("the pages of a file that is open");
    bitmap_more(b, 5);
    for (size_t i = 0; i < b->count; i += 2)
        bitmap_set(b, i);
    puts(name);
    free(name);
    free(b->bits);
    free(b);
    return 0;
}
