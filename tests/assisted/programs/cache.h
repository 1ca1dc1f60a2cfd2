#ifndef CACHE_H
#define CACHE_H
#include <stddef.h>

struct entry {
    unsigned key;
    unsigned uses;
    const char *label;
    struct entry *next;
    double weight;
};

struct cache {
    struct entry *first;
    size_t used;
    size_t most;
    unsigned long evicted;
};

struct cursor {
    struct cache *cache;
    struct entry *at;
    unsigned seen;
};

void cache_open(struct cache *cache, size_t most);
struct entry *cache_put(struct cache *cache, unsigned key, const char *label, double weight);
struct entry *cache_find(struct cache *cache, unsigned key);
void cache_trim(struct cache *cache);
void cache_close(struct cache *cache);
#endif
