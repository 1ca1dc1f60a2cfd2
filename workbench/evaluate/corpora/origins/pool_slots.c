/* A pool of the program's own hands a slot out that is still in use. flags: -g -O0 -static */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slot {
    struct slot *next;
    char *name;
    int used;
};

struct pool {
    struct slot slots[16];
    struct slot *free;
};

static void pool_open(struct pool *pool) {
    memset(pool, 0, sizeof *pool);
    for (int i = 0; i < 15; i++)
        pool->slots[i].next = &pool->slots[i + 1];
    pool->free = &pool->slots[0];
}

static struct slot *pool_take(struct pool *pool, char *name) {
    struct slot *slot = pool->free;
    pool->free = slot->next;
    slot->name = name;
    slot->used = 1;
    return slot;
}

static void pool_give(struct pool *pool, struct slot *slot) {
    slot->next = pool->free;
    slot->name = NULL; /* origin pool_give */
    slot->used = 0;
    pool->free = slot;
}

static int name_length(const struct slot *slot) {
    int length = 0;
    while (slot->name[length] != '\0')
        length++;
    return length;
}

static void expire(struct pool *pool, struct slot **slots, int count) {
    for (int i = 0; i < count; i += 3)
        pool_give(pool, slots[i]);
}

int main(void) {
    static struct pool pool;
    struct slot *taken[6];
    pool_open(&pool);
    for (int i = 0; i < 6; i++)
        taken[i] = pool_take(&pool, "slot");
    int total = 0;
    for (int i = 0; i < 6; i++)
        total += name_length(taken[i]);
    expire(&pool, taken, 6);
    for (int i = 1; i < 6; i++)
        total += name_length(taken[i]);
    printf("%d\n", total);
    return 0;
}
