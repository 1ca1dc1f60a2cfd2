/* Fails only where addresses are random. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct entry { const void *key; struct entry *next; int *count; };
static struct entry *table[8];
static unsigned slot(const void *key) { return ((uintptr_t)key >> 12) & 7; }
static struct entry *__attribute__((noinline)) put(const void *key) {
    struct entry *e = malloc(sizeof *e);
    e->key = key;
    e->count = calloc(1, sizeof(int));
    e->next = table[slot(key)];
    table[slot(key)] = e;
    return e;
}
static void __attribute__((noinline)) expire(unsigned bucket) {
    for (struct entry *e = table[bucket]; e; e = e->next) {
        free(e->count);
        e->count = NULL; /* origin expire */
    }
}
static int __attribute__((noinline)) bump(const struct entry *e) { return ++*e->count; }
int main(void) {
    struct entry *a = put("one"), *b = put("two"), *c = put((void *)table);
    for (unsigned n = 0; n < 8; n++) if ((uintptr_t)main >> 12 != 0x555555555) expire(n);
    printf("%d %d %d\n", bump(a), bump(b), bump(c));
    return 0;
}
