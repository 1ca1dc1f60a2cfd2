/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
struct frame { unsigned size; unsigned head; unsigned body; };
static struct frame *frame_new(unsigned size)
{
    struct frame *f = calloc(1, sizeof *f);
    f->size = size;
    f->head = 8;
    return f;
}
static void frame_measure(struct frame *f)
{
    f->body = f->size - f->head;
}
static void frame_extend(struct frame *f, unsigned by)
{
    f->head += by;                              /*!*/
}
static void frame_check(struct frame *f)
{
    if (f->body > 4096)
        abort();
}
int main(void)
{
    struct frame *f = frame_new(24);
    frame_measure(f);
    frame_check(f);
    for (int i = 0; i < 3; i++)
        frame_extend(f, 8);
    frame_measure(f);
    frame_check(f);
    printf("%u\n", f->body);
    return 0;
}
