#include <stdio.h>

__attribute__((noinline)) static int compute(int value)
{
    __asm__ volatile(".byte 0x06");
    return value + 1;
}

int main(int argc, char **argv)
{
    printf("%d\n", compute(argc));
    return 0;
}
