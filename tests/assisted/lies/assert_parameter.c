/* attack: flags=-O0 */
#include <assert.h>
#include <stdio.h>
struct chan { int retry; long sent; };
static void chan_send(struct chan *c, int n)
{
    if (c->retry)
        n += 6;
    assert(n <= 5);
    c->sent += n;
}
static void flush(struct chan *c, int pending)
{
    chan_send(c, pending);                     /*!*/
}
int main(int argc, char **argv)
{
    struct chan c = { 0, 0 };
    (void)argv;
    chan_send(&c, 2);
    flush(&c, argc + 5);
    printf("%ld\n", c.sent);
    return 0;
}
