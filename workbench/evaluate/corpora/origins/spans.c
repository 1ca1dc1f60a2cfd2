/* The difference of two places, less one, is below zero where a span is empty. */
#include <stdio.h>
#include <stdlib.h>
struct spans { unsigned last[32]; };
static void close_span(struct spans *s, unsigned begin, unsigned end, unsigned at)
{
    if (end - begin <= 32)
        s->last[end - begin - 1] = at; /* origin close_span */
}
static unsigned skip(const char *text, unsigned at)
{
    while (text[at] == '`')
        at++;
    return at;
}
static void scan(struct spans *s, const char *text)
{
    unsigned at = 0;
    while (text[at]) {
        unsigned end = skip(text, at);
        close_span(s, at, end, at);
        at = end + 1;
    }
}
int main(void)
{
    struct spans *s = calloc(1, sizeof *s);
    scan(s, "``x`y");
    printf("%u\n", s->last[1]);
    scan(s, "ab");
    return 0;
}
