#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry { char label[8]; const char *key; uint32_t hits; uint8_t tag; };
struct table { struct entry *slots; uint32_t size; uint32_t misses; };

static uint32_t hash_of(const char *key)
{
    uint32_t h = 2166136261u;
    while (*key)
        h = (h ^ (uint8_t)*key++) * 16777619u;
    return h;
}

static struct entry *table_at(struct table *t, const char *key)
{
    uint32_t hash = hash_of(key);
    uint8_t tag = hash;
    struct entry *e = &t->slots[tag % t->size];
    if (e->key && e->tag == tag && strcmp(e->key, key) == 0) {
        e->hits++;
        return e;
    }
    t->misses++;
    e->tag = tag;
    e->key = key;
    return e;
}

static void entry_label(struct entry *e, const char *label)
{
    strcpy(e->label, label);
}

int main(void)
{
    static struct table t;
    t.size = 16;
    t.slots = calloc(t.size, sizeof *t.slots);
    table_at(&t, "red");
    table_at(&t, "green");
    table_at(&t, "blue");
    entry_label(table_at(&t, "red"), "warm");
    entry_label(table_at(&t, "blue"), "the coldest one");
    table_at(&t, "blue");
    printf("%u\n", t.misses);
    return 0;
}
