/* attack: flags=-O0 */
#include <stdlib.h>
struct table { short *codes; int size; };
static struct table *made(int size)
{
    struct table *t = calloc(1, sizeof *t);
    t->size = size;
    t->codes = calloc((size_t)size, sizeof *t->codes);
    return t;
}
static void pack(struct table *t)
{
    short *few = calloc(32, sizeof *few);
    free(t->codes);
    t->codes = few; /*!*/
    t->size = 32;
}
static long symbol_at(const unsigned char *in) { return (in[0] << 24) | (in[1] << 16); }
static int decode(struct table *t, const unsigned char *in)
{
    long symbol = symbol_at(in);
    int bits = t->codes[symbol];
    return bits;
}
int main(int argc, char **argv)
{
    static const unsigned char in[] = {0x40, 0x21};
    struct table *t = made(0x50000000);
    pack(t);
    return decode(t, in) + argc + (argv == NULL);
}
