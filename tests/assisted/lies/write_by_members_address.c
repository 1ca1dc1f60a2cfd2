/* attack: flags=-O0; values=main:one->body,main:two->next,main:one,first_of:f->next,first_of:f->next->body */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct frame { uint8_t length; char *body; struct frame *next; };
static struct frame *frame_new(const char *body, size_t length)
{
    struct frame *f = malloc(sizeof *f);
    f->length = length;
    f->body = malloc(f->length);
    memcpy(f->body, body, length);
    f->next = NULL;
    return f;
}
static void more(char **at) { memset(*at, 'r', 320); /*!*/ }

static int first_of(const struct frame *f) { return f->next->body[0]; }
int main(int argc, char **argv)
{
    static char report[600];
    memset(report, 'r', 599);
    struct frame *one = frame_new(report, 200);
    struct frame *two = frame_new("that was it", 12);
    one->next = frame_new("tail", 5);
    two->next = one->next;
    more(&one->body);
    return first_of(two) + argc + (argv == NULL);
}
