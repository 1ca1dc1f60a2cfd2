#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct type {
    const char *name;
    int width;
    int is_signed;
};

struct column {
    char name[16];
    const struct type *type;
    struct column *next;
};

struct schema {
    char table[16];
    struct column *columns;
    int count;
};

static const struct type TYPES[] = {
    { "int", 4, 1 },
    { "bigint", 8, 1 },
    { "byte", 1, 0 },
};

static const struct type *type_find(const char *name)
{
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (strcmp(TYPES[i].name, name) == 0)
            return &TYPES[i];
    return NULL;
}

static struct column *column_new(const char *name, const char *type)
{
    struct column *column = malloc(sizeof *column);
    if (column == NULL)
        abort();
    snprintf(column->name, sizeof column->name, "%s", name);
    column->type = type_find(type);
    column->next = NULL;
    return column;
}

static void schema_add(struct schema *schema, struct column *column)
{
    struct column **at = &schema->columns;
    while (*at != NULL)
        at = &(*at)->next;
    *at = column;
    schema->count++;
}

static int schema_parse(struct schema *schema, const char *text)
{
    char copy[128];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *field = strtok(copy, ","); field != NULL; field = strtok(NULL, ",")) {
        char *type = strchr(field, ':');
        if (type == NULL)
            return -1;
        *type++ = '\0';
        schema_add(schema, column_new(field, type));
    }
    return schema->count;
}

static int row_width(const struct schema *schema)
{
    int width = 0;
    for (const struct column *c = schema->columns; c != NULL; c = c->next)
        width += c->type->width;
    return width;
}

int main(int argc, char **argv)
{
    struct schema schema = { .table = "orders" };
    const char *text = argc > 1 ? argv[1] : "id:bigint,state:byte,price:decimal,amount:int";
    if (schema_parse(&schema, text) < 0) {
        fprintf(stderr, "bad schema\n");
        return 1;
    }
    printf("%s has %d columns\n", schema.table, schema.count);
    printf("a row takes %d bytes\n", row_width(&schema));
    return 0;
}
