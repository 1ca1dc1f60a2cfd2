/* A box of eight cells, the label behind it, and who counts past the eighth. */
#include <stdint.h>
#include <stdlib.h>

struct box {
    int *cells;
    int used;
};
struct label {
    long *owner;
    long pad[2];
};

static void box_make(struct box *box, int used)
{
    box->used = used;
    box->cells = malloc(8 * sizeof *box->cells);
    for (int at = 0; at < box->used; at++)
        box->cells[at] = 0;
}

static void box_wipe(struct box *box)
{
    for (int at = 0; at < box->used; at++)
        box->cells[at] = 0;
}

static void box_push(struct box *box, int value)
{
    box->cells[box->used++] = value;
}

static long owner_of(struct label *label)
{
    return *label->owner;
}

int main(void)
{
    static long nobody = 1;
    struct box box;
    box_make(&box, 4);
    struct label *label = malloc(sizeof *label);
    label->owner = &nobody;
    box_wipe(&box);
    for (int at = 0; at < 12; at++)
        box_push(&box, 0x41410000 + at);
    return (int)owner_of(label);
}
