#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct head { uint16_t size; int old; unsigned char *body; struct head *next; };
static void head_size(struct head *h, unsigned total)
{
    if (h->old)
        h->size = (uint16_t)total;
    else
        h->size = total % 65536;
    h->body = malloc(h->size);
}
static void head_fill(struct head *h, unsigned total)
{
    memset(h->body, 0x42, total);
}
static long head_sum(struct head *h)
{
    return h->next->size;
}
int main(void)
{
    unsigned total = 65536 + 40;
    struct head *h = calloc(1, sizeof *h);
    head_size(h, total);
    struct head *after = calloc(1, sizeof *after);
    after->next = h;
    head_fill(h, 200);
    return (int)head_sum(after);
}
