/* Handlers behind the frames that one of them runs over. flags: -g -O1 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct frame { unsigned char kind; unsigned short length; unsigned char data[40]; };
struct decoder { struct frame frames[4]; int (*handlers[4])(const struct frame *); int at; };
static int sum(const struct frame *f) { int s = 0; for (int i = 0; i < f->length && i < 40; i++) s += f->data[i]; return s; }
static int first(const struct frame *f) { return f->data[0]; }
__attribute__((noinline)) static void decoder_init(struct decoder *d) { memset(d, 0, sizeof *d); d->handlers[0] = sum; d->handlers[1] = first; d->handlers[2] = sum; d->handlers[3] = first; }
__attribute__((noinline)) static void fill(struct frame *f, const unsigned char *bytes, unsigned short n) {
    f->length = n;
    memcpy(f->data, bytes, n); /* origin fill */
}
__attribute__((noinline)) static int feed(struct decoder *d, const unsigned char *bytes, unsigned short n) { struct frame *f = &d->frames[d->at++ % 4]; f->kind = bytes[0] & 3; fill(f, bytes, n); return d->handlers[f->kind](f); }
int main(void) {
    struct decoder *d = malloc(sizeof *d);
    unsigned char bytes[80];
    for (int i = 0; i < 80; i++) bytes[i] = (unsigned char)(i + 64);
    decoder_init(d);
    int s = feed(d, bytes, 20) + feed(d, bytes, 30) + feed(d, bytes + 1, 25);
    s += feed(d, bytes, 60);
    s += feed(d, bytes + 1, 10);
    printf("%d\n", s);
    return 0;
}
