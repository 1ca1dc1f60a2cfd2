/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
struct digest { uint32_t total; uint8_t low; int used; int groups; };
static struct digest *digest_new(void)
{
    struct digest *d = calloc(1, sizeof *d);
    d->groups = 4;
    return d;
}
static void digest_add(struct digest *d, uint32_t v)
{
    d->total += v;
    d->low = (uint8_t)d->total;
    d->used++;
}
static void digest_restart(struct digest *d)
{
    d->used = 0;                              /*!*/
}
static int average(struct digest *d)
{
    int n = d->used - d->low;
    return (int)(d->total / n);
}
int main(void)
{
    struct digest *d = digest_new(), *e = digest_new();
    digest_add(d, 256);
    digest_add(d, 256);
    digest_add(e, 17);
    digest_restart(d);
    int v = average(d);
    printf("%d\n", v);
    return 0;
}
