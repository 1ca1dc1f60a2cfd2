/* Paints layers of an image, links them and sums what each of them covers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct surface {
    uint32_t width;
    uint32_t height;
    uint16_t stride;
    uint8_t depth;
    uint8_t *pixels;
};

struct layer {
    struct surface *surface;
    struct layer *below;
    uint32_t opacity;
    uint32_t left;
};

struct image {
    struct layer *top;
    unsigned layers;
};

__attribute__((noinline)) static struct surface *surface_new(uint32_t width, uint32_t height,
                                                             uint8_t depth)
{
    struct surface *surface = malloc(sizeof *surface);

    if (surface == NULL)
        return NULL;
    surface->width = width;
    surface->height = height;
    surface->depth = depth;
    surface->stride = (width * depth + 15) & ~15u;
    surface->pixels = malloc((size_t)surface->stride * height);
    if (surface->pixels == NULL) {
        free(surface);
        return NULL;
    }
    return surface;
}

__attribute__((noinline)) static struct layer *image_push(struct image *image,
                                                          struct surface *surface, uint32_t opacity)
{
    struct layer *layer = malloc(sizeof *layer);

    if (layer == NULL)
        return NULL;
    layer->surface = surface;
    layer->below = image->top;
    layer->opacity = opacity;
    layer->left = 0;
    image->top = layer;
    image->layers++;
    return layer;
}

__attribute__((noinline)) static void paint_row(struct surface *surface, uint32_t row, uint8_t tone)
{
    uint8_t *at = surface->pixels + (size_t)row * surface->stride;

    for (uint32_t x = 0; x < surface->width; x++, at += surface->depth)
        for (uint8_t part = 0; part < surface->depth; part++)
            at[part] = (uint8_t)(tone + part);
}

__attribute__((noinline)) static void paint(struct surface *surface, uint8_t tone)
{
    for (uint32_t row = 0; row < surface->height; row++)
        paint_row(surface, row, (uint8_t)(tone + row));
}

__attribute__((noinline)) static uint64_t covered(const struct layer *layer)
{
    const struct surface *surface = layer->surface;

    return (uint64_t)surface->width * surface->height * layer->opacity / 255;
}

__attribute__((noinline)) static uint64_t total_cover(const struct image *image)
{
    uint64_t total = 0;

    for (const struct layer *layer = image->top; layer != NULL; layer = layer->below)
        total += covered(layer);
    return total;
}

int main(int argc, char **argv)
{
    uint32_t wide = argc > 1 ? (uint32_t)atoi(argv[1]) : 16500;
    struct image image = {NULL, 0};
    struct surface *thumb = surface_new(160, 12, 3);
    struct surface *strip = surface_new(wide, 4, 4);
    struct surface *badge = surface_new(64, 8, 4);

    if (thumb == NULL || strip == NULL || badge == NULL)
        return 1;
    if (!image_push(&image, thumb, 255) || !image_push(&image, badge, 128)
        || !image_push(&image, strip, 64))
        return 1;
    paint(thumb, 16);
    paint(badge, 48);
    paint(strip, 96);
    printf("%u layers, %llu\n", image.layers, (unsigned long long)total_cover(&image));
    return 0;
}
