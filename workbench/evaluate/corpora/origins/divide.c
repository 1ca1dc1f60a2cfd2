/* A divisor that a narrow field made zero. flags: -g -O2 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct meter {
    uint8_t scale;
    uint32_t pulses;
    struct meter *next;
};

__attribute__((noinline)) static void calibrate(struct meter *meter, unsigned factor) {
    meter->scale = (uint8_t)factor; /* origin calibrate */
}

__attribute__((noinline)) static struct meter *meter_add(struct meter *list, unsigned factor) {
    struct meter *meter = malloc(sizeof *meter);
    meter->pulses = 1000 * factor;
    meter->next = list;
    calibrate(meter, factor);
    return meter;
}

__attribute__((noinline)) static unsigned reading(const struct meter *meter) {
    return meter->pulses / meter->scale;
}

__attribute__((noinline)) static unsigned total(const struct meter *list) {
    unsigned sum = 0;
    for (const struct meter *meter = list; meter != NULL; meter = meter->next)
        sum += reading(meter);
    return sum;
}

int main(int argc, char **argv) {
    (void)argv;
    struct meter *list = NULL;
    unsigned factors[] = {10, 20, 250, 256, 30};
    for (int i = 0; i < 5; i++)
        list = meter_add(list, factors[i] * (unsigned)argc);
    printf("%u\n", total(list));
    return 0;
}
