#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct palette {
    unsigned colors[8];
    int used;
};

struct theme {
    char name[24];
    struct theme *base;
    struct palette *palette;
    int dark;
};

struct registry {
    struct theme *all[16];
    int count;
};

static struct palette *palette_make(unsigned seed)
{
    struct palette *p = malloc(sizeof *p);
    for (int i = 0; i < 8; i++)
        p->colors[i] = seed * (i + 1);
    p->used = 8;
    return p;
}

static struct theme *theme_parse(struct registry *r, const char *line)
{
    char name[24], rest[24];
    if (sscanf(line, "%23s %23s", name, rest) != 2)
        return NULL;
    struct theme *t = malloc(sizeof *t);
    snprintf(t->name, sizeof t->name, "%s", name);
    t->dark = strstr(name, "dark") != NULL;
    if (rest[0] == '@') {
        t->base = NULL;
        for (int i = 0; i < r->count; i++)
            if (strcmp(r->all[i]->name, rest + 1) == 0)
                t->base = r->all[i];
    } else {
        t->base = NULL;
        t->palette = palette_make(strtoul(rest, NULL, 16));
    }
    r->all[r->count++] = t;
    return t;
}

static unsigned color_of(const struct theme *t, int index)
{
    const struct palette *p = t->palette;
    return p->colors[index % p->used];
}

static unsigned preview(const struct registry *r)
{
    unsigned sum = 0;
    for (int i = 0; i < r->count; i++)
        for (int c = 0; c < 8; c++)
            sum ^= color_of(r->all[i], c);
    return sum;
}

static long parse_history(int n)
{
    long *lines = malloc(48), sum = 0;
    for (int i = 0; i < 6; i++)
        lines[i] = 0x2020202020202020 + n * i;
    for (int i = 0; i < 6; i++)
        sum += lines[i];
    free(lines);
    return sum;
}

int main(void)
{
    struct registry r = {.count = 0};
    theme_parse(&r, "plain 112233");
    theme_parse(&r, "dark 0a0b0c");
    parse_history(3);
    theme_parse(&r, "dark-soft @dark");
    printf("%d themes, preview %x\n", r.count, preview(&r));
    return 0;
}
