#include <stdio.h>
#include <sys/select.h>

__attribute__((noinline)) static int watch(int file)
{
    fd_set files;

    FD_ZERO(&files);
    FD_SET(file, &files);
    return FD_ISSET(3, &files);
}

int main(int argc, char **argv)
{
    (void)argv;
    printf("%d\n", watch(argc));
    return watch(1023 + argc);
}
