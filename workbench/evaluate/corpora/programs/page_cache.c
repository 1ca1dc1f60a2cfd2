/* A buffer too large for the heap is given back, and read once more. */
#include <stdio.h>
#include <stdlib.h>

struct buffer {
    char *bytes;
    size_t size;
};

static struct buffer *make(size_t size) {
    struct buffer *made = malloc(sizeof *made);
    made->bytes = malloc(size);
    made->size = size;
    made->bytes[0] = 1;
    return made;
}

static void reset(struct buffer *buffer) { free(buffer->bytes); }

__attribute__((noinline)) static int at(const struct buffer *buffer, size_t index) {
    return buffer->bytes[index];
}

int main(void) {
    struct buffer *pages = make(1 << 20);
    reset(pages);
    printf("%d\n", at(pages, 5000));
    return 0;
}
