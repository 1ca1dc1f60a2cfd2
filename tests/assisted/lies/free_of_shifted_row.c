/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct row { long id; char *name; };
struct table { struct row rows[8]; int n; };
static void table_add(struct table *t, long id, const char *name)
{
    t->rows[t->n].id = id;
    t->rows[t->n].name = strdup(name);
    t->n++;
}
static void row_rename(struct row *r, const char *name)
{
    free(r->name);
    r->name = strdup(name);
}
static void table_remove(struct table *t, int at)
{
    free(t->rows[at].name);                   /*!*/
    memmove(&t->rows[at], &t->rows[at + 1], (7 - at) * sizeof t->rows[0]);
}
static void table_drop_last(struct table *t)
{
    free(t->rows[t->n - 1].name);             /*!*/
    t->n--;
}
static unsigned long table_length(struct table *t)
{
    unsigned long sum = 0;
    for (int i = 0; i < t->n; i++)
        sum += *(unsigned long *)t->rows[i].name % 7 + strlen(*(char **)t->rows[i].name);
    return sum;
}
int main(void)
{
    struct table t = { .n = 0 };
    table_add(&t, 1, "the first of all the rows");
    table_add(&t, 2, "the second of all the rows");
    table_add(&t, 3, "the third of all the rows");
    row_rename(&t.rows[0], "the first one again renamed");
    table_remove(&t, 1);
    table_drop_last(&t);
    t.n--;
    table_drop_last(&t);
    t.n = 2;
    printf("%lu\n", table_length(&t));
    return 0;
}
