/* A cache that evicts an entry which a reader still holds. flags: -g -O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char *body;
    size_t length;
    struct entry *next;
    int key;
};

struct cache {
    struct entry *first;
    int count;
    int limit;
};

struct reader {
    struct entry *current;
    size_t at;
};

static struct entry *make_entry(int key, const char *text) {
    struct entry *entry = malloc(sizeof *entry);
    entry->key = key;
    entry->length = strlen(text);
    entry->body = malloc(entry->length + 1);
    memcpy(entry->body, text, entry->length + 1);
    entry->next = NULL;
    return entry;
}

static void drop_entry(struct entry *entry) {
    free(entry->body);
    free(entry); /* origin drop_entry */
}

static void trim(struct cache *cache) {
    while (cache->count > cache->limit) {
        struct entry **link = &cache->first;
        while ((*link)->next != NULL)
            link = &(*link)->next;
        struct entry *last = *link;
        *link = NULL;
        drop_entry(last);
        cache->count--;
    }
}

static void put(struct cache *cache, int key, const char *text) {
    struct entry *entry = make_entry(key, text);
    entry->next = cache->first;
    cache->first = entry;
    cache->count++;
    trim(cache);
}

static struct entry *get(struct cache *cache, int key) {
    for (struct entry *entry = cache->first; entry != NULL; entry = entry->next)
        if (entry->key == key)
            return entry;
    return NULL;
}

static int next_char(struct reader *reader) {
    if (reader->at >= reader->current->length)
        return -1;
    return reader->current->body[reader->at++];
}

int main(void) {
    struct cache cache = {NULL, 0, 3};
    put(&cache, 1, "alpha");
    struct reader reader = {get(&cache, 1), 0};
    int sum = next_char(&reader);
    for (int key = 2; key < 5; key++)
        put(&cache, key, "a longer text than that one, so that other chunks are used");
    char *note = malloc(sizeof(struct entry));
    memset(note, 'n', sizeof(struct entry));
    int c;
    while ((c = next_char(&reader)) != -1)
        sum += c;
    printf("%d\n", sum);
    return 0;
}
