#include <stdlib.h>
#include <string.h>

struct buffer {
    char *data;
    size_t used;
};

__attribute__((noinline)) static void reset(struct buffer *buffer)
{
    free(buffer->data);
    buffer->used = 0;
}

int main(void)
{
    struct buffer buffer = {strdup("some words that were read"), 26};

    reset(&buffer);
    reset(&buffer);
    return 0;
}
