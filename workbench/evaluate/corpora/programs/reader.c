#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) static int next_byte(int fd)
{
    char byte;

    return read(fd, &byte, 1) == 1 ? byte : -1;
}

int main(void)
{
    int ends[2];

    if (pipe(ends) != 0)
        return 1;
    printf("%d\n", next_byte(ends[0]));
    return 0;
}
