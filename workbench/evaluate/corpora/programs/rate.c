#include <stdio.h>

__attribute__((noinline)) static int rate(int bytes, int seconds)
{
    return bytes / seconds;
}

int main(int argc, char **argv)
{
    printf("%d\n", rate(4096, argc - 1));
    return 0;
}
