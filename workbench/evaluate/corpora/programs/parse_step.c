#include <stdio.h>

__attribute__((noinline)) static int step(int state)
{
    switch (state) {
    case 0:
        return 1;
    case 2:
        return 0;
    }
    __builtin_trap();
}

int main(int argc, char **argv)
{
    printf("%d\n", step(argc));
    return 0;
}
