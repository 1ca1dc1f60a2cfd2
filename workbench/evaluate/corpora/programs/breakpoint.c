#include <stdio.h>

__attribute__((noinline)) static int check(int value)
{
    if (value == 1)
        __asm__ volatile("int3");
    return value + 1;
}

int main(int argc, char **argv)
{
    printf("%d\n", check(argc));
    return 0;
}
