#include "cache.h"
#include <stdlib.h>
#include <string.h>

void cache_open(struct cache *cache, size_t most)
{
    memset(cache, 0, sizeof *cache);
    cache->most = most;
}

struct entry *cache_put(struct cache *cache, unsigned key, const char *label, double weight)
{
    struct entry *entry = malloc(sizeof *entry);
    if (entry == NULL)
        abort();
    entry->key = key;
    entry->uses = 1;
    entry->label = label;
    entry->weight = weight;
    entry->next = cache->first;
    cache->first = entry;
    cache->used++;
    return entry;
}

struct entry *cache_find(struct cache *cache, unsigned key)
{
    for (struct entry *entry = cache->first; entry != NULL; entry = entry->next) {
        if (entry->key == key) {
            entry->uses++;
            return entry;
        }
    }
    return NULL;
}

void cache_trim(struct cache *cache)
{
    struct entry **link = &cache->first;
    while (*link != NULL && cache->used > cache->most) {
        struct entry *old = *link;
        if (old->uses > 1) {
            link = &old->next;
            continue;
        }
        *link = old->next;
        free(old);
        cache->used--;
        cache->evicted++;
    }
}

void cache_close(struct cache *cache)
{
    while (cache->first != NULL) {
        struct entry *entry = cache->first;
        cache->first = entry->next;
        free(entry);
    }
    cache->used = 0;
}
