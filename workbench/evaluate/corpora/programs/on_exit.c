#include <stdio.h>
#include <stdlib.h>

static struct {
    int count;
    int values[4];
} *journal;

static void write_out(void)
{
    for (int at = 0; at < journal->count; at++)
        printf("%d\n", journal->values[at]);
}

int main(void)
{
    atexit(write_out);
    puts("nothing to do");
    return 0;
}
