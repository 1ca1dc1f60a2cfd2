#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static double mean(int columns)
{
    double row[columns], sum = 0;

    for (int at = 0; at < columns; at++)
        row[at] = at;
    for (int at = 0; at < columns; at++)
        sum += row[at];
    return sum / columns;
}

int main(int argc, char **argv)
{
    printf("%f\n", mean(100));
    printf("%f\n", mean(argc > 1 ? atoi(argv[1]) : 3000000));
    return 0;
}
