#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static int sum(int rows)
{
    char table[rows][4096];

    memset(table, 1, sizeof table);
    return table[rows / 2][7];
}

int main(int argc, char **argv)
{
    printf("%d\n", sum(argc * 8000));
    return 0;
}
