/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tag { long id; };
struct node { struct tag *left; struct tag *right; long weight; struct node *next; struct node *spare; };
struct cursor { struct node *at; int column; struct node *row[4]; };
static struct tag plain = { 7 };

static struct node *node_new(long weight)
{
    struct node *n = malloc(sizeof *n);
    n->left = &plain;
    n->right = &plain;
    n->weight = weight;
    n->next = NULL;
    return n;
}
static void node_drop(struct node *n)
{
    free(n);
}
static void tidy(struct node *one)
{
    node_drop(one);
}
static void cut(struct node *n)
{
    free(n->next); /*!*/
    n->next = n->spare;
}
static long weigh(struct cursor *c)
{
    return c->at->right->id + c->at->weight;
}
int main(void)
{
    struct node *a = node_new(1), *b = node_new(3);
    struct cursor *c = calloc(1, sizeof *c);
    c->at = a;
    struct node *d = node_new(9);
    d->spare = node_new(10);
    d->next = a;
    tidy(b);
    cut(d);
    long v = weigh(c);
    printf("%ld\n", v);

    return 0;
}
