/* Options of a program: numbers with a unit, switches, texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    long most;
};

static struct unit units[] = {{"s", 3600}, {"KB", 1 << 20}, {"%", 100}};

struct option {
    struct option *next;
    const char *name;
    char type;
    long value;
    struct unit *unit;
};

struct config {
    struct option *options;
    unsigned count;
};

static __attribute__((noinline)) struct unit *unit_of(const char *text)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, text) == 0)
            return &units[i];
    return &units[0];
}

static __attribute__((noinline)) struct option *option_new(const char *name, const char *given)
{
    struct option *o = malloc(sizeof *o);
    char *end;
    o->name = name;
    o->value = strtol(given, &end, 10);
    o->type = end == given ? 's' : 'n';
    if (strcmp(given, "yes") == 0 || strcmp(given, "no") == 0) {
        o->value = given[0] == 'y';
        o->type = 'b';
    } else if (*end) {
        o->unit = unit_of(end);
    }
    return o;
}

static __attribute__((noinline)) void config_set(struct config *c, const char *name, const char *given)
{
    struct option *o = option_new(name, given);
    o->next = c->options;
    c->options = o;
    c->count++;
}

static __attribute__((noinline)) long option_left(const struct option *o)
{
    return o->unit->most - o->value;
}

static __attribute__((noinline)) void config_show(const struct config *c)
{
    for (const struct option *o = c->options; o; o = o->next) {
        if (o->type == 'n')
            printf("%s %ld, %ld left\n", o->name, o->value, option_left(o));
        else
            printf("%s %ld\n", o->name, o->value);
    }
}

static __attribute__((noinline)) unsigned warm(void)
{
    unsigned sum = 0;
    for (int i = 0; i < 4; i++) {
        char *text = malloc(sizeof(struct option));
        memset(text, 'a' + i, sizeof(struct option));
        sum += (unsigned)text[7];
        free(text);
    }
    return sum;
}

int main(void)
{
    struct config c = {0};
    printf("%u\n", warm());
    config_set(&c, "wait", "20s");
    config_set(&c, "verbose", "yes");
    config_set(&c, "load", "80%");
    config_show(&c);
    char *spare = malloc(sizeof(struct option));
    memset(spare, 0x5a, sizeof(struct option));
    free(spare);
    config_set(&c, "tries", "12");
    config_show(&c);
    return 0;
}
