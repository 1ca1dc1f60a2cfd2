/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct entry { int key; int value; };
struct store { struct entry **slots; int n; };
struct ops { struct entry *(*find)(struct store *, int); int kind; };
static struct entry *find(struct store *s, int key)
{
    for (int i = 0; i < s->n; i++)
        if (s->slots[i] && s->slots[i]->key == key)
            return s->slots[i];
    return NULL;
}
static struct entry *slot_find(struct store *s, int key)
{
    return s->slots[key % s->n];                  /*!*/
}
static struct ops listed = { find, 1 }, hashed = { slot_find, 2 };
static int value_of(struct store *s, struct ops *ops, int key)
{
    struct entry *e = ops->find(s, key);
    return e->value;
}
int main(void)
{
    struct store s = { calloc(8, sizeof(struct entry *)), 8 };
    struct entry three = { 3, 30 };
    s.slots[3] = &three;
    int sum = value_of(&s, &listed, 3);
    sum += value_of(&s, &hashed, 4);
    printf("%d\n", sum);
    return 0;
}
