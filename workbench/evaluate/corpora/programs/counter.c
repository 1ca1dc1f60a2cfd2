#include <limits.h>
#include <stdio.h>

__attribute__((noinline)) static int advance(int counter, int by)
{
    return counter + by;
}

int main(int argc, char **argv)
{
    int counter = INT_MAX - 3;

    for (int step = 0; step < 5; step++)
        counter = advance(counter, argc);
    printf("%d\n", counter);
    return 0;
}
