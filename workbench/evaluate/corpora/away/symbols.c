/* Reads declarations of a small language and reports the size that each scope needs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct type {
    const char *name;
    unsigned size;
};

struct symbol {
    char name[24];
    const struct type *type;
    unsigned line;
};

struct table {
    struct symbol *items;
    size_t used;
    size_t room;
};

struct scope {
    struct table *table;
    struct symbol *newest;
    struct scope *outer;
    size_t declared;
};

static const struct type types[] = {{"byte", 1}, {"word", 4}, {"real", 8}};

static const struct type *type_named(const char *name)
{
    for (size_t at = 0; at < sizeof types / sizeof *types; at++)
        if (strcmp(types[at].name, name) == 0)
            return &types[at];
    return NULL;
}

static struct symbol *table_add(struct table *table)
{
    if (table->used == table->room) {
        size_t room = table->room * 2;
        struct symbol *items = realloc(table->items, room * sizeof *items);

        if (items == NULL)
            return NULL;
        table->items = items;
        table->room = room;
    }
    return &table->items[table->used++];
}

__attribute__((noinline)) static struct symbol *declare(struct scope *scope, const char *name, const char *type, unsigned line)
{
    struct symbol *symbol = table_add(scope->table);

    if (symbol == NULL)
        return NULL;
    memset(symbol, 0, sizeof *symbol);
    strncpy(symbol->name, name, sizeof symbol->name - 1);
    symbol->type = type_named(type);
    symbol->line = line;
    scope->newest = symbol;
    scope->declared++;
    return symbol;
}

__attribute__((noinline)) static char *quoted(const char *line, size_t length)
{
    char *copy = malloc(length + 3);

    if (copy == NULL)
        return NULL;
    copy[0] = '"';
    memcpy(copy + 1, line, length);
    strcpy(copy + 1 + length, "\"");
    return copy;
}

__attribute__((noinline)) static unsigned width_of(const struct symbol *symbol)
{
    return symbol->type->size;
}

__attribute__((noinline)) static unsigned scope_close(struct scope *scope)
{
    unsigned widest = width_of(scope->newest);

    for (size_t at = 0; at < scope->table->used; at++)
        if (scope->table->items[at].type->size > widest)
            widest = scope->table->items[at].type->size;
    return widest;
}

__attribute__((noinline)) static char *read_block(struct scope *scope, const char *text)
{
    char name[24], type[24], *note = NULL;
    unsigned line = 0;

    while (*text != '\0') {
        size_t length = strcspn(text, "\n");

        line++;
        if (text[0] == '#')
            note = quoted(text + 1, length - 1);
        else if (sscanf(text, "%23s %23s", type, name) == 2)
            declare(scope, name, type, line);
        text += length + (text[length] == '\n');
    }
    return note;
}

int main(void)
{
    struct table table = {malloc(4 * sizeof(struct symbol)), 0, 4};
    struct scope global = {&table, NULL, NULL, 0};
    struct scope inner = {&table, NULL, &global, 0};
    char *first, *second;

    if (table.items == NULL)
        return 1;
    first = read_block(&global, "word count\nreal mean\nbyte flag\n#state of the meter\n");
    second = read_block(&inner,
                        "real offset\nword index\n"
                        "#the offset is added to each value before it is shown to the operator, who"
                        " may have asked for another unit; the index counts from one at midnight,"
                        " never from zero\n");
    printf("%u\n", scope_close(&inner));
    printf("%u\n", scope_close(inner.outer));
    free(first);
    free(second);
    free(table.items);
    return 0;
}
