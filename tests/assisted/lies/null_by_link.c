/* attack: flags=-O0; values=rightmost:node->right,rightmost:node */
#include <stdio.h>
#include <stdlib.h>

struct node {
    int key;
    int uses;
    struct node *left;
    struct node *right;
};

static struct node *node_new(int key)
{
    struct node *node = calloc(1, sizeof *node);

    node->key = key;
    return node;
}

static void node_join(struct node *node, struct node *left, struct node *right)
{
    node->left = left;
    node->right = right;
    node->uses++;
}

static void node_reset(struct node *node)
{
    node->left = NULL;
    node->right = NULL;
}

static void prune(struct node *root, int key)
{
    struct node **link = &root->right;

    while (*link != NULL && (*link)->key != key)
        link = (*link)->key < key ? &(*link)->right : &(*link)->left;
    *link = NULL; /*!*/
}

static int rightmost(struct node *node)
{
    return node->right->key;
}

int main(int argc, char **argv)
{
    struct node *root = node_new(4), *spare = node_new(9);

    node_join(root, node_new(2), node_new(6));
    if (argc > 4)
        node_reset(root);
    node_reset(spare);
    printf("%d\n", rightmost(root));
    prune(root, 6);
    printf("%d\n", rightmost(root));
    return 0;
}
