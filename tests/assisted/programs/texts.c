#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct rec { char name[8]; char *note; int n; };
static void rec_name(struct rec *r, const char *text)
{
    strcpy(r->name, text);
}
static void rec_extend(struct rec *r, const char *text)
{
    char *to = r->name;
    while (*to)
        to++;
    for (; *text; text++)
        *to++ = *text;
}
static int rec_sum(struct rec *r)
{
    return r->note[0] + r->n;
}
int main(void)
{
    struct rec *r = calloc(1, sizeof *r);
    r->note = strdup("a note");
    rec_name(r, "abc");
    rec_extend(r, "defghijklmnopqrs");
    return rec_sum(r);
}
