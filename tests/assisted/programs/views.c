#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct view {
    unsigned char *bytes;
    size_t length;
    int users;
};

struct reader {
    struct view *view;
    size_t at;
};

static void view_open(struct view *view, size_t length)
{
    view->bytes = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    view->length = length;
    memset(view->bytes, 7, length);
}

static void view_close(struct view *view)
{
    munmap(view->bytes, view->length);
    view->users = 0;
}

static long reader_next(struct reader *reader)
{
    unsigned char *bytes = reader->view->bytes;
    return bytes[reader->at++];
}

int main(void)
{
    struct view view = {0};
    struct reader reader = {&view, 100};
    view_open(&view, 1 << 20);
    long sum = reader_next(&reader);
    view_close(&view);
    sum += reader_next(&reader);
    printf("%ld\n", sum);
    return 0;
}
