#include "store.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct owner *owner_new(const char *name, long quota)
{
    struct owner *owner = calloc(1, sizeof *owner);
    snprintf(owner->name, sizeof owner->name, "%s", name);
    owner->quota = quota;
    return owner;
}

static long charge(struct store *store)
{
    long sum = 0;
    for (size_t at = 0; at < store->used; at++) {
        struct blob *blob = store->slots[at];
        sum += blob->length;
        if (sum > blob->owner->quota)
            return -1;
    }
    return sum;
}

static long report(struct store *store, const char *title)
{
    long *line = malloc(32);
    line[0] = 0x6d6d7573203a7061;
    line[1] = 0x2d2d2d2d2d2d2d2d;
    line[2] = 0x3d3d3d3d3d3d3d3d;
    line[3] = (long)strlen(title);
    long sum = charge(store);
    printf("%s %ld\n", title, sum + line[3]);
    free(line);
    return sum;
}

int main(void)
{
    struct store *store = calloc(1, sizeof *store);
    struct owner *ann = owner_new("ann", 100000), *bob = owner_new("bob", 90000);
    store_import(store, ann, 100);
    store_import(store, bob, 900);
    store_import(store, ann, 5000);
    struct blob *own = store_find(store, "bob");
    if (own != NULL && own->length > 1000)
        store_add(store, own);
    return report(store, "depot") > 0;
}
