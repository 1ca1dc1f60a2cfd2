/* Merges sorted files of numbers that are read block by block. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
    size_t count;
    long numbers[8];
};

struct source {
    const char *text;
    struct block *block;
    size_t at;
    int failed;
};

static int block_read(struct source *s)
{
    struct block *b = s->block;
    b->count = 0;
    while (b->count < 8 && *s->text) {
        char *end;
        long n = strtol(s->text, &end, 10);
        if (end == s->text) {
            free(s->block);
            s->block = NULL;
            s->failed = 1;
            return -1;
        }
        b->numbers[b->count++] = n;
        s->text = end;
    }
    s->at = 0;
    return b->count > 0;
}

static struct source *source_open(const char *text)
{
    struct source *s = calloc(1, sizeof *s);
    s->text = text;
    s->block = malloc(sizeof *s->block);
    s->block->count = 0;
    return s;
}

static int source_next(struct source *s, long *number)
{
    if (s->at >= s->block->count && !block_read(s))
        return 0;
    *number = s->block->numbers[s->at++];
    return 1;
}

static long sum_of(struct source *const *all, size_t n)
{
    long sum = 0, number;
    for (size_t i = 0; i < n; i++)
        while (source_next(all[i], &number))
            sum += number;
    return sum;
}

int main(void)
{
    struct source *all[] = {source_open("1 4 9 16 25 36 49 64 81 100"), source_open("2 3 5 7 11 13"),
                            source_open("10 20 30 40 50 60 70 80 ninety 100")};
    printf("%ld\n", sum_of(all, 2));
    printf("%ld\n", sum_of(all + 2, 1));
    return 0;
}
