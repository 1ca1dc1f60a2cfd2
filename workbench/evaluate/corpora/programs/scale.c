#include <limits.h>
#include <stdio.h>

__attribute__((noinline)) static int scale(int value, int by)
{
    return value / by;
}

int main(int argc, char **argv)
{
    printf("%d\n", scale(INT_MIN, -argc));
    return 0;
}
