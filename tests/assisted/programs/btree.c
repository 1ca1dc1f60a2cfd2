/* A binary tree of counted words that is walked through parents. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    char *word;
    unsigned count;
    struct node *left;
    struct node *right;
    struct node *parent;
};

struct tree {
    struct node *root;
    unsigned size;
};

static char *copy_of(const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = malloc(length);

    return memcpy(copy, text, length);
}

static struct node *node_new(const char *word, struct node *parent)
{
    struct node *node = malloc(sizeof *node);

    node->word = copy_of(word);
    node->count = 1;
    node->left = NULL;
    node->parent = parent;
    return node;
}

static struct node *tree_add(struct tree *tree, const char *word)
{
    struct node *node = tree->root;

    if (node == NULL) {
        tree->root = node_new(word, NULL);
        tree->root->right = NULL;
        tree->size++;
        return tree->root;
    }
    for (;;) {
        int order = strcmp(word, node->word);
        struct node **next;
        if (order == 0) {
            node->count++;
            return node;
        }
        next = order < 0 ? &node->left : &node->right;
        if (*next == NULL) {
            *next = node_new(word, node);
            tree->size++;
            return *next;
        }
        node = *next;
    }
}

static unsigned depth_of(const struct node *node)
{
    unsigned left, right;

    if (node == NULL)
        return 0;
    left = depth_of(node->left);
    right = depth_of(node->right);
    return 1 + (left > right ? left : right);
}

static size_t widest(char *const *lines, int count)
{
    size_t most = 0;

    for (int at = 0; at < count; at++)
        if (strlen(lines[at]) > most)
            most = strlen(lines[at]);
    return most;
}

int main(void)
{
    struct tree tree = {NULL, 0};
    char *lines[3];

    for (int at = 0; at < 3; at++)
        lines[at] = copy_of("a line of 40 characters that is a title");
    printf("%zu\n", widest(lines, 3));
    for (int at = 0; at < 3; at++)
        free(lines[at]);
    tree_add(&tree, "march");
    tree_add(&tree, "april");
    printf("%u\n", depth_of(tree.root));
    return 0;
}
