#include <stdio.h>

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }

/* so aligned, nothing stands right behind it */
#define APART __attribute__((aligned(64)))

static int (*operations[3])(int, int) APART = {add, sub, mul};
static int done APART;

__attribute__((noinline)) static int run(unsigned opcode, int a, int b)
{
    done++;
    return operations[opcode](a, b) + 1;
}

int main(int argc, char **argv)
{
    (void)argv;
    for (unsigned opcode = 0; opcode < 3; opcode++)
        printf("%d\n", run(opcode, 6, 2));
    return run(2 + argc, 6, 2);
}
