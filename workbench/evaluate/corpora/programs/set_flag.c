#include <stdlib.h>

__attribute__((noinline)) static void mark(int *where, int value)
{
    *where = value;
}

int main(void)
{
    mark((int *)getenv("NO_SUCH_VARIABLE_HERE"), 1);
    return 0;
}
