#include <stdint.h>
#include <stdio.h>

__attribute__((noinline)) static int64_t wrap(int64_t offset, int64_t period)
{
    return offset % period;
}

int main(int argc, char **argv)
{
    printf("%ld\n", (long)wrap(1000, 7));
    printf("%ld\n", (long)wrap(INT64_MIN, -argc));
    return 0;
}
