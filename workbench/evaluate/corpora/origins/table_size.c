/* A product that does not fit makes a block too small. flags: -g -O0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image {
    uint32_t width;
    uint32_t height;
    uint8_t *pixels;
};

struct header {
    uint32_t width;
    uint32_t height;
};

static int image_open(struct image *image, const struct header *header) {
    image->width = header->width;
    image->height = header->height;
    uint16_t bytes = (uint16_t)(image->width * image->height); /* origin image_open */
    image->pixels = malloc(bytes);
    return image->pixels != NULL;
}

static void paint(struct image *image, uint8_t color) {
    for (uint32_t y = 0; y < image->height; y++)
        memset(image->pixels + (size_t)y * image->width, color, image->width);
}

static unsigned checksum(const struct image *image) {
    unsigned sum = 0;
    for (uint32_t i = 0; i < image->width; i++)
        sum += image->pixels[i];
    return sum;
}

static void image_close(struct image *image) {
    free(image->pixels);
    image->pixels = NULL;
}

int main(void) {
    struct header headers[] = {{64, 64}, {300, 220}, {100, 100}};
    struct image images[3];
    unsigned total = 0;
    for (int i = 0; i < 3; i++)
        if (!image_open(&images[i], &headers[i]))
            return 1;
    for (int i = 0; i < 3; i++) {
        paint(&images[i], (uint8_t)(i + 1));
        total += checksum(&images[i]);
    }
    for (int i = 0; i < 3; i++)
        image_close(&images[i]);
    printf("%u\n", total);
    return 0;
}
