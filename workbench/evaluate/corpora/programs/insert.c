#include <assert.h>
#include <stdio.h>

static int used;

__attribute__((noinline)) static int insert(int value)
{
    assert(used < 4 && "room for one more");
    return used++ + value;
}

int main(void)
{
    for (int i = 0; i < 10; i++)
        printf("%d\n", insert(i));
    return 0;
}
