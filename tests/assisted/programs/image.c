#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { int id; struct node *next; };
struct list { struct node *first; int count; };
static struct node *node_new(int id)
{
    struct node *node = malloc(sizeof *node);
    node->id = id;
    node->next = NULL;
    return node;
}
static struct node *node_raw(int id)
{
    struct node *node = malloc(sizeof *node);
    node->id = id;
    return node;
}
static void list_load(struct list *l, const unsigned char *image)
{
    memcpy(l->first, image, sizeof *l->first);
    l->count++;
}
static int list_next(struct list *l)
{
    return l->first->next->id;
}
int main(void)
{
    unsigned char image[sizeof(struct node)];
    struct list l = {0};
    struct node *other = node_raw(8);
    memset(image, 0x4b, sizeof image);
    l.first = node_new(7);
    list_load(&l, image);
    printf("%d\n", other->id);
    return list_next(&l);
}
