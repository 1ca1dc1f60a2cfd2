#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static void discard(char *text)
{
    free(text);
}

int main(void)
{
    char *text = strdup("len=00042;payload follows here");

    while (*text != 'p')
        text++;
    discard(text);
    return 0;
}
