#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct format { int width; char fill; };
struct option { char key[16]; int number; const struct format *format; struct option *next; };
struct config { struct option *first; int count; };
static const struct format plain = {8, ' '}, wide = {20, '.'};

static const struct format *format_of(const char *name)
{
    if (strcmp(name, "plain") == 0)
        return &plain;
    if (strcmp(name, "wide") == 0)
        return &wide;
    return NULL;
}

static struct option *option_typed(struct config *c, const char *key, const char *type)
{
    struct option *o = malloc(sizeof *o);
    const struct format *format = format_of(type);
    if (format == NULL)
        fprintf(stderr, "%s: no type %s\n", key, type);
    snprintf(o->key, sizeof o->key, "%s", key);
    o->number = 0;
    o->format = format;
    o->next = c->first;
    c->first = o;
    c->count++;
    return o;
}

static struct option *option_bare(struct config *c, const char *key)
{
    struct option *o = calloc(1, sizeof *o);
    snprintf(o->key, sizeof o->key, "%s", key);
    o->number = 1;
    o->next = c->first;
    c->first = o;
    c->count++;
    return o;
}

static int option_print(const struct option *o)
{
    char line[64];
    return snprintf(line, sizeof line, "%-16s%*d", o->key, o->format->width, o->number);
}

static int config_print(const struct config *c)
{
    int sum = 0;
    for (const struct option *o = c->first; o; o = o->next)
        sum += option_print(o);
    return sum;
}

static void config_load(struct config *c)
{
    option_typed(c, "retries", "plain");
    option_bare(c, "verbose");
    option_typed(c, "limit", "wide");
    option_bare(c, "quiet");
}

int main(void)
{
    static struct config c;
    config_load(&c);
    printf("%d\n", config_print(&c));
    return 0;
}
