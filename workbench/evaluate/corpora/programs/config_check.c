#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int require(const char *value)
{
    if (value == NULL) {
        fprintf(stderr, "a value is required\n");
        abort();
    }
    return value[0];
}

int main(void)
{
    return require(getenv("NO_SUCH_VARIABLE_HERE"));
}
