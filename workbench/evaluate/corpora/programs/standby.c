#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) static int standby(int rounds)
{
    int seen = 0;

    while (seen < rounds) {
        pause();
        seen++;
    }
    return seen;
}

int main(void)
{
    printf("%d\n", standby(100));
    return 0;
}
