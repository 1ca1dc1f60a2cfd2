#include "store.h"
#include <stdlib.h>
#include <string.h>

struct blob *blob_new(struct owner *owner, uint32_t length)
{
    struct blob *blob = malloc(sizeof *blob);
    if (blob == NULL)
        return NULL;
    blob->refs = 1;
    blob->length = length;
    blob->owner = owner;
    blob->bytes = malloc(length);
    memset(blob->bytes, 0x20, length);
    return blob;
}

struct blob *blob_get(struct blob *blob)
{
    blob->refs++;
    return blob;
}

void blob_put(struct blob *blob)
{
    if (--blob->refs > 0)
        return;
    free(blob->bytes);
    free(blob);
}

int store_add(struct store *store, struct blob *blob)
{
    if (store->used == 16)
        return -1;
    store->slots[store->used++] = blob_get(blob);
    return 0;
}

struct blob *store_find(struct store *store, const char *owner)
{
    for (size_t at = 0; at < store->used; at++)
        if (strcmp(store->slots[at]->owner->name, owner) == 0)
            return store->slots[at];
    store->misses++;
    return NULL;
}

int store_import(struct store *store, struct owner *owner, uint32_t length)
{
    struct blob *blob = blob_new(owner, length);
    int failed = store_add(store, blob);
    if (length > 4096)
        blob_put(blob); /* too large to be kept: let go of it */
    blob_put(blob);
    return failed;
}
