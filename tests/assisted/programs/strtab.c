/* Texts one behind the other in one block, with where each begins. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
    size_t count;
    size_t *at;
    char *bytes;
};

static struct table *table_new(const char *const *texts, size_t count)
{
    struct table *t = malloc(sizeof *t);
    size_t used = 0;
    t->count = count;
    t->at = malloc(count * sizeof *t->at);
    for (size_t i = 0; i < count; i++) {
        t->at[i] = used;
        used += strlen(texts[i]);
    }
    t->at[count] = used;
    t->bytes = malloc(used);
    for (size_t i = 0; i < count; i++)
        memcpy(t->bytes + t->at[i], texts[i], t->at[i + 1] - t->at[i]);
    return t;
}

static void table_print(const struct table *t)
{
    for (size_t i = 0; i < t->count; i++)
        printf("%.*s ", (int)(t->at[i + 1] - t->at[i]), t->bytes + t->at[i]);
    putchar('\n');
}

static void table_free(struct table *t)
{
    free(t->at);
    free(t->bytes);
    free(t);
}

int main(void)
{
    static const char *const names[] = {"north", "east", "south-west", "west", "up"};
    static const char *const codes[] = {"a", "bb", "ccc", "dddd", "eeeee"};
    struct table *a = table_new(names, 5);
    struct table *b = table_new(codes, 5);
    table_print(a);
    table_free(b);
    table_free(a);
    b = table_new(codes, 4);
    table_print(b);
    table_free(b);
    return 0;
}
