/* Reads rows of comma separated fields and adds up a column. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 4
#define WIDTH 16

struct column {
    const char *title;
    double sum;
};

struct row {
    char fields[FIELDS][WIDTH];
    struct column *column;
    int used;
};

struct table {
    struct column columns[FIELDS];
    struct row row;
    int rows;
};

static void row_begin(struct row *row, struct column *column)
{
    row->column = column;
    row->used = 0;
}

static void row_add(struct row *row, const char *text)
{
    if (row->used < FIELDS)
        strcpy(row->fields[row->used++], text);
}

static void table_split(struct table *table, const char *line)
{
    char copy[128], *field, *rest = copy;

    snprintf(copy, sizeof copy, "%s", line);
    row_begin(&table->row, &table->columns[1]);
    while ((field = strsep(&rest, ",")) != NULL)
        row_add(&table->row, field);
}

__attribute__((noinline)) static void table_count(struct table *table)
{
    struct row *row = &table->row;

    row->column->sum += atof(row->fields[1]);
    table->rows++;
}

int main(void)
{
    static const char *const lines[] = {
        "bolt,1.25,box,4",
        "nut,0.75,box,12",
        "washer,0.10,bag,left and right handed ones",
        "screw,2.00,box,2",
    };
    struct table *table = calloc(1, sizeof *table);

    if (table == NULL)
        return 1;
    table->columns[1].title = "price";
    for (unsigned at = 0; at < 4; at++) {
        table_split(table, lines[at]);
        table_count(table);
    }
    printf("%s: %.2f in %d rows\n", table->columns[1].title, table->columns[1].sum, table->rows);
    free(table);
    return 0;
}
