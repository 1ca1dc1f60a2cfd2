/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct tag { long id; };
struct node { struct tag *left; struct tag *right; long weight; struct node *next; };
struct cursor { struct node *at; int column; };
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
    free(n);   /*!*/
}
static void tidy(struct node *one)
{
    node_drop(one);
}
static void other(struct node *n)
{
    n->weight = 4;
}
static long weigh(struct cursor *c)
{
    return c->at->right->id + c->at->weight;
}
int main(void)
{
    struct node *a = node_new(1), *b = node_new(3);
    struct cursor *c = malloc(sizeof *c);
    c->at = a;
    tidy(a);
    other(a);
    long v = weigh(c);
    printf("%ld\n", v);
    return 0;
}
