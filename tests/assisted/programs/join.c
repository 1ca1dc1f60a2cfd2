/* A message that arrives in parts and is put together when the last one is there. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
    struct part *next;
    uint32_t length;
    unsigned char bytes[];
};

struct message {
    uint16_t total;
    uint16_t count;
    struct part *first, *last;
    unsigned char *text;
};

struct stats {
    unsigned long joined, bytes;
    struct message *latest;
};

static struct message *message_new(void)
{
    return calloc(1, sizeof(struct message));
}

static __attribute__((noinline)) void message_add(struct message *m, const void *bytes, uint32_t length)
{
    struct part *p = malloc(sizeof *p + length);
    p->next = NULL;
    p->length = length;
    memcpy(p->bytes, bytes, length);
    if (m->last)
        m->last->next = p;
    else
        m->first = p;
    m->last = p;
    m->total += length;
    m->count++;
}

static __attribute__((noinline)) void message_join(struct message *m)
{
    unsigned char *at;
    m->text = malloc(m->total);
    at = m->text;
    for (struct part *p = m->first; p; p = p->next) {
        memcpy(at, p->bytes, p->length);
        at += p->length;
    }
}

static void message_drop(struct message *m)
{
    struct part *p = m->first;
    while (p) {
        struct part *next = p->next;
        free(p);
        p = next;
    }
    free(m->text);
    free(m);
}

static __attribute__((noinline)) void account(struct stats *s, struct message *m)
{
    s->joined++;
    s->bytes += m->total;
    s->latest = m;
}

int main(void)
{
    struct stats stats = {0};
    unsigned char block[9000];
    memset(block, 'x', sizeof block);
    for (int k = 1; k <= 8; k++) {
        struct message *m = message_new();
        for (int i = 0; i < k; i++)
            message_add(m, block, sizeof block);
        message_join(m);
        account(&stats, m);
        message_drop(m);
    }
    printf("%lu messages, %lu bytes\n", stats.joined, stats.bytes);
    return 0;
}
