#include <stdio.h>

__attribute__((noinline)) static int fill(int count)
{
    char row[24];
    volatile char *cell = row;

    for (int i = 0; i < count; i++)
        cell[i] = 'A';
    return row[3];
}

int main(int argc, char **argv)
{
    printf("%d\n", fill(argc * 80));
    return 0;
}
