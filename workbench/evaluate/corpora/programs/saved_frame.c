#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static void read_tag(const char *from, size_t length)
{
    char tag[16];

    memcpy(tag, from, length);
    __asm__ volatile("" : : "r"(tag) : "memory");
}

/* The copy ends right behind the caller's saved frame pointer: the return still works. */
int main(int argc, char **argv)
{
    volatile int seen = argc;

    (void)argv;
    read_tag("0123456789abcdef<-tag->!", 16 + 8 * (size_t)seen);
    printf("%d\n", seen);
    return 0;
}
