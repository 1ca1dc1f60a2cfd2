/* attack: flags=-O0 */
#include <stdlib.h>
#include <string.h>
struct head { int size; unsigned char *body; struct head *next; };
static void head_make(struct head *h, int total)
{
    h->size = total;
    h->body = malloc(h->size & 0xff);                /*!*/
}
static void head_fill(struct head *h, int total)
{
    memset(h->body, 0x42, total);
}
static int head_sum(struct head *h) { return h->next->size; }
int main(void)
{
    struct head *h = calloc(1, sizeof *h);
    head_make(h, 512 + 40);
    struct head *after = calloc(1, sizeof *after);
    after->next = h;
    head_fill(h, 200);
    return head_sum(after);
}
