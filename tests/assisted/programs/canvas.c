/* Makes an image and fills it with a gradient. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct pixel {
    uint8_t r, g, b, a;
};

struct image {
    uint32_t width, height;
    uint32_t size;
    struct pixel *pixels;
};

static __attribute__((noinline)) struct image *image_new(uint32_t width, uint32_t height)
{
    struct image *m = malloc(sizeof *m);
    if (!m)
        return NULL;
    m->width = width;
    m->height = height;
    m->size = width * height * sizeof(struct pixel);
    m->pixels = malloc(m->size);
    if (!m->pixels) {
        free(m);
        return NULL;
    }
    return m;
}

static __attribute__((noinline)) void image_fill(struct image *m)
{
    for (uint32_t y = 0; y < m->height; y++) {
        struct pixel *row = m->pixels + (size_t)y * m->width;
        for (uint32_t x = 0; x < m->width; x++) {
            row[x].r = x & 0xff;
            row[x].g = y & 0xff;
            row[x].b = (x ^ y) & 0xff;
            row[x].a = 0xff;
        }
    }
}

static __attribute__((noinline)) unsigned image_mean(const struct image *m)
{
    uint64_t sum = 0;
    for (uint32_t y = 0; y < m->height; y += 16)
        for (uint32_t x = 0; x < m->width; x += 16)
            sum += m->pixels[(size_t)y * m->width + x].r;
    return (unsigned)(sum / ((uint64_t)m->width * m->height / 256 + 1));
}

static __attribute__((noinline)) void image_free(struct image *m)
{
    free(m->pixels);
    free(m);
}

int main(void)
{
    static const uint32_t sizes[][2] = {{64, 64}, {640, 480}, {32784, 32768}};
    for (int i = 0; i < 3; i++) {
        struct image *m = image_new(sizes[i][0], sizes[i][1]);
        if (!m)
            continue;
        image_fill(m);
        printf("%u x %u: %u\n", m->width, m->height, image_mean(m));
        image_free(m);
    }
    return 0;
}
