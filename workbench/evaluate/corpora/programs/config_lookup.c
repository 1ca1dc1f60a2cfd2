#include <stdio.h>
#include <string.h>

struct setting {
    const char *key;
    const char *value;
    int priority;
    struct setting *next;
};

static struct setting host = {"host", "db1.internal", 10, NULL};
static struct setting port = {"port", "5432", 20, &host};

__attribute__((noinline)) static struct setting *lookup(struct setting *from, const char *key)
{
    for (; from != NULL; from = from->next)
        if (strcmp(from->key, key) == 0)
            return from;
    return NULL;
}

__attribute__((noinline)) static int raise_priority(struct setting *all, const char *key)
{
    struct setting *found = lookup(all, key);

    found->priority += 5;
    return found->priority;
}

int main(void)
{
    printf("%d\n", raise_priority(&port, "host"));
    printf("%d\n", raise_priority(&port, "timeout"));
    return 0;
}
