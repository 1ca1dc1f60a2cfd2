/* Frames of samples: the size of a frame is worked out in 32 bits. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct format { uint32_t width, height, channels; };

struct frame {
    struct format format;
    uint32_t bytes;
    uint8_t *data;
};

__attribute__((noinline)) static uint32_t frame_bytes(const struct format *f)
{
    return f->width * f->height * f->channels; /* origin frame_bytes */
}

__attribute__((noinline)) static int frame_open(struct frame *fr, struct format f)
{
    fr->format = f;
    fr->bytes = frame_bytes(&f);
    fr->data = malloc(fr->bytes);
    return fr->data ? 0 : -1;
}

__attribute__((noinline)) static void clear_row(struct frame *fr, uint32_t row, uint8_t value)
{
    size_t pitch = (size_t)fr->format.width * fr->format.channels;
    memset(fr->data + row * pitch, value, pitch);
}

__attribute__((noinline)) static void clear(struct frame *fr, uint8_t value)
{
    for (uint32_t y = 0; y < fr->format.height; y++)
        clear_row(fr, y, value);
}

int main(void)
{
    const struct format formats[] = {{320, 200, 3}, {640, 480, 4}, {65536, 16385, 4}};
    struct frame fr;
    for (int i = 0; i < 3; i++) {
        if (frame_open(&fr, formats[i]) != 0)
            return 1;
        clear(&fr, (uint8_t)i);
        printf("%u\n", fr.bytes);
        free(fr.data);
    }
    return 0;
}
