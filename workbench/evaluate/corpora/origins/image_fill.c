/* A size that wraps in 32 bits, run out of by a call of a library. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct header { uint32_t width, height, channels; };
struct image { uint32_t width, height, stride; uint8_t *data; };
static int __attribute__((noinline)) parse(const uint8_t *raw, struct header *h) {
    memcpy(h, raw, sizeof *h);
    return h->width && h->height && h->channels <= 4;
}
static struct image *__attribute__((noinline)) image_new(const struct header *h) {
    struct image *i = malloc(sizeof *i);
    i->width = h->width; i->height = h->height;
    i->stride = h->width * h->channels;
    uint32_t size = i->stride * h->height;
    i->data = malloc(size); /* origin image_new */
    return i;
}
static void __attribute__((noinline)) fill(struct image *i, uint8_t v) {
    for (uint32_t y = 0; y < i->height; y++)
        memset(i->data + (size_t)y * i->stride, v, i->stride);
}
int main(void) {
    uint32_t sizes[][3] = {{64, 32, 4}, {65536, 16385, 4}};
    for (int k = 0; k < 2; k++) {
        struct header h;
        if (!parse((const uint8_t *)sizes[k], &h)) continue;
        struct image *i = image_new(&h);
        fill(i, 0x55);
        printf("%u\n", i->data[7]);
    }
    return 0;
}
