// The length of a line without its end, of a line that has none. flags: -g -O1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line { const char *start; unsigned length; };
struct page { struct line lines[16]; int count; unsigned sum; };

static unsigned __attribute__((noinline)) without_end(const char *start, const char *stop)
{
    unsigned length = (unsigned)(stop - start);
    if (start[0] != '#')
        length -= 2; /* origin without_end */
    return length;
}

static void __attribute__((noinline)) split(struct page *p, const char *text)
{
    while (*text && p->count < 16) {
        const char *stop = strchr(text, '\n');
        if (!stop)
            stop = text + strlen(text);
        else
            stop++;
        p->lines[p->count].start = text;
        p->lines[p->count++].length = without_end(text, stop);
        text = stop;
    }
}

static void __attribute__((noinline)) add_up(struct page *p)
{
    for (int i = 0; i < p->count; i++)
        for (unsigned at = 0; at < p->lines[i].length; at++)
            p->sum = p->sum * 33 + p->lines[i].start[at];
}

int main(void)
{
    char *text = strdup("first\r\n# second\nthird\r\n\nlast\r\n");
    struct page *p = calloc(1, sizeof *p);
    split(p, text);
    add_up(p);
    printf("%d %u\n", p->count, p->sum);
    free(text);
    free(p);
    return 0;
}
