#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

struct sample {
    struct sample *older;
    double value[374];
};

__attribute__((noinline)) static void *must(size_t size)
{
    void *memory = malloc(size);

    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return memory;
}

int main(void)
{
    struct rlimit limit = {80 << 20, 80 << 20};
    struct sample *newest = NULL;

    setrlimit(RLIMIT_AS, &limit);
    for (;;) {
        struct sample *sample = must(sizeof *sample);
        sample->older = newest;
        newest = sample;
    }
}
