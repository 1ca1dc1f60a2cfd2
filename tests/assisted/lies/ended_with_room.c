/* attack: flags=-O0; values=table_new:t,table_new:t->at,main:t,main:t->at,main:n,table_new:&t->at[count],main:note,main:&t->at[t->count] */
/* The numbers of one more than are asked for still fit into what malloc gives; a note does not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table { size_t count; size_t *at; };

static struct table *table_new(size_t count)
{
    struct table *t = malloc(sizeof *t);
    t->count = count;
    t->at = malloc(count * sizeof *t->at);
    for (size_t i = 0; i < count; i++)
        t->at[i] = i;
    t->at[count] = 0;
    return t;
}

static char *note_new(const char *text)
{
    char *note = malloc(24);
    strcpy(note, text); /*!*/
    return note;
}

int main(void)
{
    struct table *t = table_new(4);
    char *note = note_new("a note that is far too long for it, by many letters");
    printf("%zu %s\n", t->at[3], note);
    free(note);
    free(t->at);
    char *more = malloc(140000 - 5000);
    free(more);
    return 0;
}
