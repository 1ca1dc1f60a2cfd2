/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tag { long id; };
struct node { struct tag *left; struct tag *right; long weight; struct node *next; unsigned mode : 2; };
struct cursor { struct node *at; int column; struct node *row[4]; };
static struct tag plain = { 7 };

static struct node *node_new(long weight)
{
    struct node *n = calloc(1, sizeof *n);
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
static void node_mark(struct node *n)
{
    n->mode = 7;
}
static void node_sweep(struct node *n)
{
    if (n->mode == 3)
        free(n); /*!*/
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

    tidy(b);
    node_mark(a);
    node_sweep(a);
    long v = weigh(c);
    printf("%ld\n", v);

    return 0;
}
