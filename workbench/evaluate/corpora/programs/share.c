#include <stdio.h>

__attribute__((noinline)) static long share(__int128 total, __int128 heads)
{
    return (long)(total / heads);
}

int main(int argc, char **argv)
{
    (void)argv;
    printf("%ld\n", share((__int128)1 << 70, argc + 1));
    printf("%ld\n", share((__int128)1 << 70, argc - 1));
    return 0;
}
