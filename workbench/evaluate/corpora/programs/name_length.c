#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static size_t measure(const char *name)
{
    size_t length = strlen(name);

    return length > 40 ? 40 : length;
}

int main(void)
{
    printf("%zu\n", measure(getenv("NO_SUCH_VARIABLE_HERE")));
    return 0;
}
