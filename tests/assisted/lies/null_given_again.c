/* attack: flags=-O0; values=width:c->type,width:c */
#include <stdlib.h>
#include <string.h>
struct type { const char *name; int width; };
struct column { char name[16]; const struct type *type; struct column *next; };
static const struct type TYPES[] = { { "int", 4 }, { "byte", 1 } };
static const struct type *type_find(const char *name)
{
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (strcmp(TYPES[i].name, name) == 0)
            return &TYPES[i];
    return NULL;
}
static struct column *column_new(const char *type, struct column *next)
{
    struct column *column = malloc(sizeof *column);
    column->type = type_find(type);
    column->next = next;
    return column;
}
static void drop(struct column *c)
{
    free(c);                                 /*!*/
}
static int width(const struct column *c)
{
    return c->type->width;
}
int main(void)
{
    struct column *columns = column_new("int", column_new("byte", NULL));
    drop(columns->next);
    char *text = malloc(sizeof *columns);
    memset(text, 0, sizeof *columns);
    return width(columns->next) + text[0];
}
