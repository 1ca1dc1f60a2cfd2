#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct packer {
    uint8_t *out;
    size_t used;
    size_t room;
    unsigned records;
};

struct record {
    uint32_t id;
    uint16_t kind;
    uint8_t payload[1200];
    uint16_t length;
};

__attribute__((noinline)) static struct packer *packer_new(size_t room)
{
    struct packer *p = malloc(sizeof *p);
    p->out = malloc(room);
    p->used = 0;
    p->room = room;
    p->records = 0;
    return p;
}

__attribute__((noinline)) static void reserve(struct packer *p, size_t more)
{
    if (p->room - p->used >= more)
        return;
    while (p->room - p->used < more)
        p->room *= 2;
    p->out = realloc(p->out, p->room);
}

__attribute__((noinline)) static uint8_t *begin(struct packer *p, uint16_t kind)
{
    reserve(p, 4);
    uint8_t *head = p->out + p->used;
    head[0] = (uint8_t)kind;
    head[1] = (uint8_t)(kind >> 8);
    p->used += 4;
    return head;
}

__attribute__((noinline)) static void append(struct packer *p, const void *data, size_t length)
{
    reserve(p, length);
    memcpy(p->out + p->used, data, length);
    p->used += length;
}

__attribute__((noinline)) static void pack_record(struct packer *p, const struct record *r)
{
    uint8_t *head = begin(p, r->kind);
    append(p, &r->id, sizeof r->id);
    append(p, r->payload, r->length);
    head[2] = (uint8_t)r->length;
    head[3] = (uint8_t)(r->length >> 8);
    p->records++;
}

int main(void)
{
    struct packer *p = packer_new(200000);
    struct record *r = calloc(1, sizeof *r);
    for (uint32_t i = 0; i < 4000; i++) {
        r->id = i;
        r->kind = (uint16_t)(i % 5);
        r->length = (uint16_t)(300 + i % 700);
        memset(r->payload, (int)i, r->length);
        pack_record(p, r);
    }
    printf("%u records, %zu bytes\n", p->records, p->used);
    free(p->out);
    free(p);
    free(r);
    return 0;
}
