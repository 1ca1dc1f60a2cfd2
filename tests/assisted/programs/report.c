#include "cache.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct page {
    char *text;
    size_t length;
};

static __attribute__((noinline)) char *line_of(const char *label, unsigned key)
{
    char *line = malloc(40);
    if (line == NULL)
        abort();
    snprintf(line, 40, "%-20s no. %u", label, key);
    return line;
}

static void cursor_to(struct cursor *cursor, struct cache *cache, unsigned key)
{
    cursor->cache = cache;
    cursor->at = NULL;
    for (struct entry *entry = cache->first; entry != NULL; entry = entry->next)
        if (entry->key == key)
            cursor->at = entry;
}

static __attribute__((noinline)) size_t label_size(const struct entry *entry)
{
    return *entry->label ? strlen(entry->label) : 0; // strlen may round an address
}

static __attribute__((noinline)) size_t cursor_width(struct cursor *cursor)
{
    size_t width = 0;
    while (cursor->at != NULL) {
        width += label_size(cursor->at);
        cursor->at = cursor->at->next;
        cursor->seen++;
    }
    return width;
}

int main(void)
{
    static const char *const labels[] = {"north", "east", "south", "west", "middle", "roof"};
    struct cache cache;
    struct cursor cursor = {0};
    struct page page = {0};
    cache_open(&cache, 4);
    for (unsigned key = 0; key < 6; key++)
        cache_put(&cache, key, labels[key], key * 0.5);
    cache_find(&cache, 5);
    cache_find(&cache, 1);
    cursor_to(&cursor, &cache, 4);
    cache_trim(&cache);
    page.text = line_of("trimmed", (unsigned)cache.evicted);
    page.length = strlen(page.text) + cursor_width(&cursor);
    printf("%zu %s\n", page.length, page.text);
    cache_close(&cache);
    return 0;
}
