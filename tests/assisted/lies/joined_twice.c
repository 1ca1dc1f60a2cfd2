/* attack: flags=-O1; values=main:n,list_free:n,list_free:n->path,list_free:n->size,list_add:n,main:l,list_free:l */
/* Names of files in folders; one that is shown again has its name behind it once more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    char *path;
    unsigned long *size;
};

struct list {
    struct node *first;
};

static __attribute__((noinline)) char *join(const char *dir, const char *name, int again)
{
    size_t n = strlen(dir) + strlen(name) + 2;
    char *path = malloc(n);
    strcpy(path, dir);
    strcat(path, "/");
    strcat(path, name);
    if (again)
        strcat(path, name); /*!*/
    return path;
}

static __attribute__((noinline)) struct node *list_add(struct list *l, const char *dir, const char *name)
{
    struct node *n = malloc(sizeof *n);
    n->path = join(dir, name, 0);
    n->size = malloc(sizeof *n->size);
    *n->size = strlen(name);
    n->next = l->first;
    l->first = n;
    return n;
}

static __attribute__((noinline)) void list_rename(struct node *n, const char *dir, const char *name)
{
    free(n->path);
    n->path = join(dir, name, 1);
}

static __attribute__((noinline)) unsigned long list_free(struct list *l)
{
    unsigned long sum = 0;
    while (l->first) {
        struct node *n = l->first;
        l->first = n->next;
        sum += *n->size;
        free(n->size);
        free(n->path);
        free(n);
    }
    return sum;
}

int main(void)
{
    struct list l = {NULL};
    list_add(&l, "/srv", "readme");
    struct node *n = list_add(&l, "/srv", "old.name.x");
    list_add(&l, "/srv", "last");
    list_rename(n, "/srv", "abcdefghij");
    printf("%lu\n", list_free(&l));
    return 0;
}
