#include <stdio.h>

static int scores[16];

__attribute__((noinline)) static void record(int team, int score)
{
    scores[team] = score;
}

int main(int argc, char **argv)
{
    (void)argv;
    record(argc, 3);
    record(-100000000 * argc, 4);
    printf("%d\n", scores[1]);
    return 0;
}
