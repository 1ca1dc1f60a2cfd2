#ifndef STORE_H
#define STORE_H
#include <stddef.h>
#include <stdint.h>

struct blob {
    int refs;
    uint32_t length;
    struct owner *owner;
    unsigned char *bytes;
};

struct owner {
    char name[24];
    long quota;
};

struct store {
    struct blob *slots[16];
    size_t used;
    unsigned misses;
};

struct blob *blob_new(struct owner *owner, uint32_t length);
struct blob *blob_get(struct blob *blob);
void blob_put(struct blob *blob);
int store_add(struct store *store, struct blob *blob);
struct blob *store_find(struct store *store, const char *owner);
int store_import(struct store *store, struct owner *owner, uint32_t length);
#endif
