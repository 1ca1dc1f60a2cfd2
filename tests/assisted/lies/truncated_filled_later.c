/* attack: flags=-O1; values=main:last->body */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct frame { uint8_t length; char *body; };
static struct frame *frame_new(const char *body, size_t length)
{
    struct frame *f = malloc(sizeof *f);
    f->length = length;
    f->body = malloc(f->length);
    memcpy(f->body, body, length);
    return f;
}
int main(void)
{
    struct frame *first = frame_new("hello", 6);
    char *report = calloc(1, 200);
    memset(report, 'r', 199);
    struct frame *last = frame_new(report, 200);
    memset(last->body, 'r', 400);            /*!*/
    struct frame *next = frame_new("that was it", 12);
    printf("%s %s\n", first->body, next->body);
    return 0;
}
