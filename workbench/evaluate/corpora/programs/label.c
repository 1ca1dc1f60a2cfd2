#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static void write_label(char *where, const char *text)
{
    while ((*where++ = *text++) != '\0')
        ;
}

__attribute__((noinline)) static void done(char *first, char *second)
{
    free(second);
    free(first);
}

int main(void)
{
    char *first = malloc(24);
    char *second = malloc(24);

    write_label(first, "a label that is longer than anyone had thought it would be");
    done(first, second);
    return 0;
}
