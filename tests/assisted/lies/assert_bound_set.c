/* attack: flags=-O0 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
struct buffer { int used; int room; char *bytes; };
static struct buffer *buffer_new(int room)
{
    struct buffer *b = calloc(1, sizeof *b);
    b->room = room;
    b->bytes = malloc(room);
    return b;
}
static int buffer_add(struct buffer *b, int n)
{
    if (b->used + n > b->room)
        return -1;
    b->used += n;
    return 0;
}
static void limit(int *value, int most)
{
    if (*value > most)
        *value = most;                           /*!*/
}
static void buffers_limit(struct buffer *b, int most)
{
    limit(&b->room, most);                       /*!*/
}
static int buffer_check(struct buffer *b)
{
    assert(b->used <= b->room);
    return b->room - b->used;
}
int main(void)
{
    struct buffer *b = buffer_new(16);
    if (buffer_add(b, 9))
        return 1;
    buffers_limit(b, 4);
    int left = buffer_check(b);
    printf("%d\n", left);
    return 0;
}
