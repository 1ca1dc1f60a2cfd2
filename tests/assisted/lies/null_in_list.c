/* attack: flags=-O0; values=next:s,next:s->block,main:all,main:all[1],next:&s->block */
/* Sources of a list are taken out of it by filling them with zeros; a failed reading is none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block { size_t count; long numbers[4]; };
struct source { const char *text; struct block *block; size_t at; };

static int block_read(struct source *s)
{
    for (s->block->count = 0; s->block->count < 4 && *s->text; s->block->count++) {
        char *end;
        s->block->numbers[s->block->count] = strtol(s->text, &end, 10);
        if (end == s->text) {
            free(s->block);
            s->block = NULL;
            return -1;
        }
        s->text = end;
    }
    s->at = 0;
    return s->block->count > 0;
}

static struct source *source_open(const char *text)
{
    struct source *s = calloc(1, sizeof *s);
    s->text = text;
    s->block = malloc(sizeof *s->block);
    s->block->count = 0;
    return s;
}

static int next(struct source *s, long *number)
{
    if (s->at >= s->block->count && !block_read(s))
        return 0;
    *number = s->block->numbers[s->at++];
    return 1;
}

int main(void)
{
    struct source *all[] = {source_open("1 4 9"), source_open("2 3 5 7 11"), source_open("10 20")};
    long sum = 0, number;
    while (next(all[0], &number))
        sum += number;
    for (struct source **at = all; at < all + 2; at++)
        memset(*at, 0, sizeof **at); /*!*/
    for (int i = 1; i < 3; i++)
        while (next(all[i], &number))
            sum += number;
    printf("%ld\n", sum);
    return 0;
}
