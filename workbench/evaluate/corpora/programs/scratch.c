#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static void finish(char *work)
{
    memset(work, ' ', 8);
    free(work);
}

int main(void)
{
    char work[64];

    finish(work);
    return 0;
}
