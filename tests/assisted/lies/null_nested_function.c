/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry { int key; int value; struct entry *next; };
struct store { struct entry *first; struct entry *spare; int n; };

static struct entry *lookup(struct store *s, int key)
{
    for (struct entry *e = s->first; e; e = e->next)
        if (e->key == key)
            return e;
    return NULL;
}

static int value_of(struct store *s, int key)
{
    struct entry *e;
    e = lookup(s, key);
    void fix(void) { e = NULL; } /*!*/
    fix();
    return e->value;
}
int main(void)
{
    struct entry two = { 2, 20, NULL }, one = { 1, 10, &two };
    struct store s = { &one, NULL, 2 };
    int sum = lookup(&s, 5) ? 1 : 0;

    sum += value_of(&s, 2);
    printf("%d\n", sum);
    return 0;
}
