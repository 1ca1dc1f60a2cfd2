#include <stdlib.h>

static void *slots[16];

__attribute__((noinline)) static void release(int slot)
{
    free(slots[slot]);
}

int main(void)
{
    for (int i = 0; i < 10; i++)
        slots[i] = malloc(40);
    for (int i = 0; i < 9; i++)
        release(i);
    release(8);
    return 0;
}
