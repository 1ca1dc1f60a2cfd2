#include <stdio.h>
#include <stdlib.h>

static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

__attribute__((noinline)) static int days_in(int month)
{
    return days[month];
}

int main(int argc, char **argv)
{
    int month = argc > 1 ? atoi(argv[1]) : 20240501;

    printf("%d\n", days_in(month));
    return 0;
}
