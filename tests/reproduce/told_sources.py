"""Small programs, each of one reason that an origin is told right or left open: the line that is
to be told carries ``told`` in a comment; where none does, no run shows it."""

COUNTED = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static unsigned seen, lengths[] = {9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000};
static uint16_t needed(void)
{
    unsigned sum = 1, mixed = 5381;
    for (int at = 0; at < 8; at++) {
        mixed = 33 * mixed + lengths[at];
        sum += lengths[at];
    }
    seen = mixed;
    return (uint16_t)sum;
}
int main(void)
{
    char *text = malloc(needed()); /* told */
    char *to = text;
    for (int at = 0; at < 8; at++)
        to = (char *)memset(to, 'x', (size_t)lengths[at]) + lengths[at];
    free(malloc(100000));
    free(text);
    return 0;
}
"""
