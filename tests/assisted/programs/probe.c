#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct entry {
    char key[12];
    int value;
};

struct table {
    struct entry entries[8];
    unsigned mask;
    unsigned used;
};

static unsigned hash(const char *key)
{
    unsigned h = 5381;
    while (*key)
        h = h * 33 + (unsigned char)*key++;
    return h;
}

static struct entry *place(struct table *table, const char *key)
{
    unsigned at = hash(key) & table->mask;
    while (table->entries[at].key[0] != 0) {
        if (strcmp(table->entries[at].key, key) == 0)
            break;
        at = (at + 1) & table->mask;
    }
    return &table->entries[at];
}

static void set(struct table *table, const char *key, int value)
{
    struct entry *entry = place(table, key);
    if (entry->key[0] == 0) {
        snprintf(entry->key, sizeof entry->key, "%s", key);
        table->used++;
    }
    entry->value = value;
}

static void load(struct table *table, int count)
{
    char key[12];
    for (int at = 0; at < count; at++) {
        snprintf(key, sizeof key, "key%d", at);
        set(table, key, at * 10);
    }
}

int main(void)
{
    struct table table;
    memset(&table, 0, sizeof table);
    table.mask = 7;
    load(&table, 9);
    printf("%u\n", table.used);
    return 0;
}
