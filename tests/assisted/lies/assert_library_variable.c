/* attack: flags=-O0; args=-v x */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
struct args { int taken; int verbose; char **rest; };
static struct args *args_new(char **argv)
{
    struct args *a = calloc(1, sizeof *a);
    a->rest = argv;
    return a;
}
static void args_flag(struct args *a, int c)
{
    if (c == 'v')
        a->verbose = 1;
    a->taken += 1;
}
static void args_again(int from)
{
    optind = from;                              /*!*/
}
static void args_check(struct args *a)
{
    assert(a->taken < optind);
    printf("%s\n", a->rest[optind]);
}
int main(int argc, char **argv)
{
    struct args *a = args_new(argv);
    int c;
    while ((c = getopt(argc, argv, "vq")) != -1)
        args_flag(a, c);
    args_again(1);
    args_check(a);
    return 0;
}
