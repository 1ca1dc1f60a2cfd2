/* Nodes of a tree from a free list of the program's own; one is put back while its parent has it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { int key; int height; struct node *left, *right; const char *label; };

static struct node store[64];
static struct node *avail;
static int made;

static struct node *node_get(int key)
{
    struct node *n = avail;
    if (n)
        avail = n->right;
    else
        n = &store[made++];
    n->key = key;
    n->height = 1;
    n->left = n->right = NULL;
    n->label = "leaf";
    return n;
}

static void node_put(struct node *n)
{
    n->label = NULL;
    n->left = NULL;
    n->right = avail;
    avail = n;
}

static void insert(struct node **at, int key)
{
    while (*at)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = node_get(key);
}

static struct node *take_min(struct node **at)
{
    while ((*at)->left)
        at = &(*at)->left;
    struct node *n = *at;
    *at = n->right;
    return n;
}

static void erase(struct node **at, int key)
{
    while (*at && (*at)->key != key)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    struct node *n = *at;
    if (!n)
        return;
    if (n->left && n->right) {
        struct node *m = take_min(&n->right);
        n->key = m->key;
        node_put(m);
    } else if (n->left) {
        *at = n->left;
        node_put(n);
    } else {
        node_put(n);
    }
}

static size_t labels(const struct node *n)
{
    if (!n)
        return 0;
    return labels(n->left) + strlen(n->label) + labels(n->right);
}

int main(void)
{
    struct node *root = NULL;
    const int keys[] = {50, 25, 75, 10, 30, 60, 90};
    for (int i = 0; i < 7; i++)
        insert(&root, keys[i]);
    printf("%zu\n", labels(root));
    erase(&root, 50);
    printf("%zu\n", labels(root));
    erase(&root, 10);
    printf("%zu\n", labels(root));
    return 0;
}
