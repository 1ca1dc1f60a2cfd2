#include <stdlib.h>
#include <unistd.h>

struct reading {
    struct reading *older;
    double value[11];
};

static struct reading *newest;

__attribute__((noinline)) static void record(double value)
{
    struct reading *reading = malloc(sizeof *reading);

    reading->value[0] = value;
    reading->older = newest;
    newest = reading;
}

__attribute__((noinline)) static void rest(void)
{
    for (;;)
        pause();
}

int main(void)
{
    for (int number = 0; number < 150000; number++)
        record(number);
    rest();
    return 0;
}
