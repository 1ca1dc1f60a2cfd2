#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct rec { char name[8]; struct rec *next; int n; };
static void rec_mark(struct rec *r, char c)
{
    if (r->n < 8)
        r->name[r->n] = c;
}
static void rec_name(struct rec *r, const char *text)
{
    char *to = r->name;
    while (*text)
        *to++ = *text++;
}
static void rec_size(struct rec *r, int n)
{
    r->n = n;
}
static int rec_sum(struct rec *r)
{
    return r->next->n;
}
int main(void)
{
    struct rec *r = calloc(1, sizeof *r);
    r->next = calloc(1, sizeof *r);
    rec_mark(r, 'H');
    rec_name(r, "ABCDEFGHIJKLMNOP");
    rec_size(r, 12);
    return rec_sum(r);
}
