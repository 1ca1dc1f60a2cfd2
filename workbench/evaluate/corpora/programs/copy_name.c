#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static int copy(const char *name)
{
    char local[16];

    strcpy(local, name);
    return local[0];
}

int main(int argc, char **argv)
{
    static char name[200];

    memset(name, 'n', 60);
    printf("%d\n", copy(name));
    return 0;
}
