/* attack: flags=-O0; values=name_new:n,name_new:n->text,main:a,main:a->text,main:b,main:b->text,name_set:n,name_set:n->text */
/* A name has so much room, of which the last byte is the zero's: it is set behind that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct name { size_t room; char *text; };

static struct name *name_new(const char *text, size_t room)
{
    struct name *n = malloc(sizeof *n);
    n->room = room;
    n->text = malloc(n->room);
    strncpy(n->text, text, n->room);
    n->text[n->room] = '\0'; /*!*/
    return n;
}

static void name_free(struct name *n)
{
    free(n->text);
    free(n);
}

int main(void)
{
    struct name *first = name_new("one", 24), *second = name_new("two", 24);
    name_free(first);
    name_free(second);
    first = name_new("three", 24);
    second = name_new("four", 24);
    printf("%s %s\n", first->text, second->text);
    name_free(first);
    name_free(second);
    return 0;
}
