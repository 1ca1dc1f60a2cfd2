#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *name;
    int size;
};

__attribute__((noinline)) static int by_name(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    return strcmp(a->name, b->name);
}

int main(void)
{
    struct entry entries[] = {{"home", 1}, {"etc", 2}, {NULL, 3}, {"usr", 4}};

    qsort(entries, 4, sizeof *entries, by_name);
    puts(entries[0].name);
    return 0;
}
