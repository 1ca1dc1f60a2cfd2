/* A tree of folders: each node has its whole path and an entry with its size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *kind;
    unsigned long size;
};

struct node {
    struct node *parent, *next;
    char *path;
    struct entry *entry;
};

struct tree {
    struct node *root, *all;
    unsigned count;
};

static __attribute__((noinline)) char *join(const char *dir, const char *name)
{
    size_t n = strlen(dir) + strlen(name) + 1;
    char *path = malloc(n);
    strcpy(path, dir);
    strcat(path, "/");
    strcat(path, name);
    return path;
}

static __attribute__((noinline)) struct entry *entry_new(const char *kind, unsigned long size)
{
    struct entry *e = malloc(sizeof *e);
    e->kind = kind;
    e->size = size;
    return e;
}

static __attribute__((noinline)) struct node *tree_add(struct tree *t, struct node *parent, const char *name, unsigned long size)
{
    struct node *n = malloc(sizeof *n);
    n->parent = parent;
    n->path = parent ? join(parent->path, name) : strdup(name);
    n->entry = entry_new(size ? "file" : "folder", size);
    n->next = t->all;
    t->all = n;
    t->count++;
    return n;
}

static __attribute__((noinline)) void tree_rename(struct tree *t, struct node *n, const char *name)
{
    (void)t;
    free(n->path);
    n->path = join(n->parent->path, name);
}

static __attribute__((noinline)) void tree_free(struct tree *t)
{
    struct node *n = t->all;
    while (n) {
        struct node *next = n->next;
        free(n->entry);
        free(n->path);
        free(n);
        n = next;
    }
    t->all = NULL;
}

static __attribute__((noinline)) unsigned long tree_show(const struct tree *t)
{
    unsigned long sum = 0;
    for (const struct node *n = t->all; n; n = n->next) {
        printf("%s %s %lu\n", n->path, n->entry->kind, n->entry->size);
        sum += n->entry->size;
    }
    return sum;
}

int main(void)
{
    struct tree t = {0};
    struct node *root = tree_add(&t, NULL, "/srv", 0);
    struct node *data = tree_add(&t, root, "data", 0);
    tree_add(&t, data, "readme.txt", 120);
    struct node *old = tree_add(&t, data, "old.name.1", 77);
    struct node *logs = tree_add(&t, root, "logs", 0);
    tree_add(&t, logs, "today.of.the.month.log", 900);
    tree_add(&t, logs, "yesterday.log.1", 1900);
    tree_rename(&t, old, "a.longer.name1");
    printf("%lu in %u\n", tree_show(&t), t.count);
    tree_free(&t);
    return 0;
}
