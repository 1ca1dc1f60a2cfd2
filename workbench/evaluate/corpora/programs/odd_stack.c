#include <stdio.h>

__attribute__((noinline)) static void show(double value)
{
    char text[64];

    snprintf(text, sizeof text, "%f", value);
    puts(text);
}

int main(int argc, char **argv)
{
    double value = argc;

    (void)argv;
    __asm__ volatile("sub $8, %%rsp" ::: "memory");
    show(value);
    __asm__ volatile("add $8, %%rsp" ::: "memory");
    return 0;
}
