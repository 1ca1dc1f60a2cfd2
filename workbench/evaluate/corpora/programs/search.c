#include <stdio.h>

static const int sorted[] = {2, 5, 9, 14, 20, 31};

__attribute__((noinline)) static int find(const int *values, int count, int wanted)
{
    int low = 0, high = count - 1;

    while (low < high) {
        int middle = (low + high) / 2;

        if (*(volatile const int *)&values[middle] <= wanted)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int main(void)
{
    puts("searching");
    fflush(stdout);
    printf("%d\n", find(sorted, 6, 9));
    return 0;
}
