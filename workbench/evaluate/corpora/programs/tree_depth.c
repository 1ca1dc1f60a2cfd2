#include <stdio.h>

struct node {
    struct node *parent;
    int level;
};

__attribute__((noinline)) static int depth(const struct node *node)
{
    volatile char work[256];

    work[0] = (char)node->level;
    if (node->parent == NULL)
        return work[0];
    return depth(node->parent) + 1 + work[0];
}

int main(void)
{
    struct node a = {NULL, 1}, b = {&a, 2};

    a.parent = &b;
    printf("%d\n", depth(&a));
    return 0;
}
