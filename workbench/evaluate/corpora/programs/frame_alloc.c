#include <stdio.h>
#include <stdlib.h>

struct frame {
    size_t width, height;
    unsigned char *pixels;
};

__attribute__((noinline)) static void clear(struct frame *frame)
{
    frame->pixels = malloc(frame->width * frame->height * 4);
    for (size_t at = 0; at < frame->width * frame->height * 4; at++)
        frame->pixels[at] = 0xff;
}

int main(void)
{
    struct frame frame = {1u << 26, 1u << 26, NULL};

    clear(&frame);
    printf("%d\n", frame.pixels[0]);
    return 0;
}
