#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char fallback[] = "/etc/service/default.conf";

struct options {
    char *path;
    int verbose;
};

__attribute__((noinline)) static void release(struct options *options)
{
    free(options->path);
    options->path = NULL;
}

int main(int argc, char **argv)
{
    struct options options = {argc > 1 ? strdup(argv[1]) : fallback, 0};

    printf("reading %s\n", options.path);
    release(&options);
    return 0;
}
