#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static char *extend(size_t size)
{
    char *more = malloc(size);

    more[0] = 'x';
    return more;
}

int main(int argc, char **argv)
{
    char *row = malloc(24);

    memset(row, '-', 39 + argc);
    printf("%c\n", *extend(5000));
    return 0;
}
