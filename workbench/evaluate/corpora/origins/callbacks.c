/* A handler slot that a neighbouring array overwrites. flags: -g -O2 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*handler)(int);

struct device {
    int samples[16];
    handler on_ready;
    handler on_error;
    int state;
};

static int ready(int value) {
    return value + 1;
}

static int failed(int value) {
    return value - 1;
}

__attribute__((noinline)) static struct device *device_open(void) {
    struct device *device = malloc(sizeof *device);
    memset(device, 0, sizeof *device);
    device->on_ready = ready;
    device->on_error = failed;
    return device;
}

__attribute__((noinline)) static void record(struct device *device, int at, int value) {
    device->samples[at] = value; /* origin record */
}

__attribute__((noinline)) static void sample(struct device *device, int rounds) {
    for (int i = 0; i < rounds; i++)
        record(device, i, 0x1000 + i * 3);
    device->state = rounds;
}

__attribute__((noinline)) static int finish(struct device *device) {
    if (device->state > 100)
        return device->on_error(device->state);
    return device->on_ready(device->state);
}

int main(void) {
    struct device *device = device_open();
    int total = 0;
    for (int rounds = 4; rounds <= 20; rounds += 6) {
        sample(device, rounds);
        total += finish(device);
    }
    sample(device, 17);
    total += finish(device);
    printf("%d\n", total);
    free(device);
    return 0;
}
