/* attack: flags=-O0; values=drop:n,drop:then,main:n,drop:then->call */
#include <stdio.h>
#include <stdlib.h>

struct note {
    struct note *next;
    void (*call)(int);
    int id;
};

static void show(int id)
{
    printf("%d\n", id);
}

static struct note *note_new(int id)
{
    struct note *n = malloc(sizeof *n); /*!*/
    n->call = show;
    n->id = id;
    return n;
}

static void drop(struct note *n)
{
    struct note *then = n->next;
    free(n);
    if (then)
        then->call(then->id);
}

int main(void)
{
    struct note *old = note_new(1), *other = note_new(2);
    free(other);
    free(old);
    struct note *n = note_new(3);
    n->call(n->id);
    drop(n);
    return 0;
}
