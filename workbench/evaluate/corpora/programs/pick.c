#include <stdio.h>

__attribute__((noinline)) static int pick(const int *from, long index)
{
    return from[index];
}

int main(int argc, char **argv)
{
    printf("%d\n", pick((const int *)0x7d3f00a1c5e2b4f8, argc));
    return 0;
}
