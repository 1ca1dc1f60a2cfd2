#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    char name[16];
    struct node *link;
    long size;
};

static struct node *nodes[8];

static struct node *node_new(int at, const char *name, long size)
{
    struct node *node = calloc(1, sizeof *node);
    snprintf(node->name, sizeof node->name, "%s", name);
    node->size = size;
    nodes[at] = node;
    return node;
}

static void link_to(struct node *from, struct node *to)
{
    from->link = to;
}

static long size_of(const struct node *node);

static long resolve(const struct node *node)
{
    char path[64];
    snprintf(path, sizeof path, "/%s", node->link->name);
    return size_of(node->link) + (long)strlen(path);
}

static long size_of(const struct node *node)
{
    if (node->link != NULL)
        return resolve(node) + 1;
    return node->size;
}

static long total(int count)
{
    long sum = 0;
    for (int at = 0; at < count; at++)
        sum += size_of(nodes[at]);
    return sum;
}

int main(void)
{
    struct node *etc = node_new(0, "etc", 10), *var = node_new(1, "var", 20);
    struct node *run = node_new(2, "run", 30), *tmp = node_new(3, "tmp", 40);
    link_to(run, var);
    link_to(tmp, run);
    link_to(var, tmp);
    (void)etc;
    printf("%ld\n", total(4));
    return 0;
}
