/* The handler of an unknown command is never chosen. */
#include <stdio.h>

typedef void (*handler)(int);

static void add(int value) { printf("add %d\n", value); }
static void drop(int value) { printf("drop %d\n", value); }

__attribute__((noinline)) static long checksum(int seed) {
    volatile long words[64];
    for (int i = 0; i < 64; i++) words[i] = 0x1234567800000000L + i * 7919L + seed;
    long sum = 0;
    for (int i = 0; i < 64; i++) sum += words[i];
    return sum;
}

__attribute__((noinline)) static void dispatch(int command) {
    handler chosen;
    switch (command) {
    case 7: chosen = add; break;
    case 8: chosen = drop; break;
    }
    chosen(command);
}

int main(int argc, char **argv) {
    printf("%ld\n", checksum(argc));
    dispatch(argc);
    return 0;
}
