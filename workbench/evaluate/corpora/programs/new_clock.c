#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

typedef long (*now)(long *);

__attribute__((noinline)) static long read_clock(const char *version)
{
    now clock = (now)dlvsym(RTLD_DEFAULT, "time", version);

    return clock(NULL) + 1;
}

int main(void)
{
    printf("%d\n", read_clock("GLIBC_2.2.5") > 0);
    printf("%d\n", read_clock("GLIBC_9.1") > 0);
    return 0;
}
