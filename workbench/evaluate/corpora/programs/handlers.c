#include <stdio.h>

typedef int (*handler)(int);

static int twice(int n) { return 2 * n; }

static volatile handler handlers[4] = {twice};

__attribute__((noinline)) static int fire(int slot, int n)
{
    int answer = handlers[slot](n);

    return answer + 1;
}

int main(int argc, char **argv)
{
    printf("%d\n", fire(argc, 5));
    return 0;
}
