/* attack: flags=-O0; values=show:s->peer,show:&s->peer,show:s */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct peer { int id; int port; };
struct ses { int n; int room; long cells[8]; struct peer *peer; int done; };
static struct peer home = { 1, 80 };

static void fill(struct ses *s, const long *src, int n)
{
    s->cells[n - 1] = src[8];
}
static void other(struct ses *s, const long *src)
{
    memcpy((char *)s + 72, &src[8], 8); /*!*/
}
static int __attribute__((noinline)) show(struct ses *s)
{
    s->done++;
    return s->peer->port + s->n;
}
int main(void)
{
    long src[16] = { 9, 9, 9, 9, 9, 9, 9, 9, 0x1234567, 9 };
    struct ses *s = calloc(1, sizeof *s);
    s->peer = &home;
    s->room = 8;
    fill(s, src, 8);
    other(s, src);
    printf("%d\n", show(s));
    return 0;
}
