#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
    int kind;
    char body[48];
};

struct filter {
    const char *name;
    int (*apply)(const struct message *message, int weight);
    int weight;
};

struct slot {
    int id;
    int enabled;
    unsigned hits;
    struct filter *filter;
};

struct chain {
    struct slot slots[6];
    int used;
    int reloads;
};

static int by_length(const struct message *message, int weight)
{
    return (int)strlen(message->body) * weight;
}

static int by_kind(const struct message *message, int weight)
{
    return message->kind * weight;
}

static struct filter *filter_load(const char *name)
{
    struct filter *filter = malloc(sizeof *filter);
    if (filter == NULL)
        abort();
    filter->name = name;
    filter->weight = 3;
    if (strcmp(name, "length") == 0) {
        filter->apply = by_length;
    } else if (strcmp(name, "kind") == 0) {
        filter->apply = by_kind;
    } else {
        free(filter);
        return NULL;
    }
    return filter;
}

static void chain_add(struct chain *chain, const char *name)
{
    struct slot *slot = &chain->slots[chain->used];
    slot->id = 100 + chain->used;
    slot->hits = 0;
    slot->filter = filter_load(name);
    slot->enabled = slot->filter != NULL;
    if (slot->enabled)
        chain->used++;
}

static void slot_reload(struct slot *slot)
{
    const char *name = slot->filter->name;
    free(slot->filter);
    slot->filter = NULL;
    if (slot->hits < 4)
        slot->filter = filter_load(name);
}

static void chain_reload(struct chain *chain)
{
    for (int at = 0; at < chain->used; at++)
        slot_reload(&chain->slots[at]);
    chain->reloads++;
}

static int slot_run(struct slot *slot, const struct message *message)
{
    slot->hits++;
    return slot->filter->apply(message, slot->filter->weight);
}

static int chain_run(struct chain *chain, const struct message *message)
{
    int score = 0;
    for (int at = 0; at < chain->used; at++) {
        struct slot *slot = &chain->slots[at];
        if (slot->enabled && (message->kind & (at + 1)) != 0)
            score += slot_run(slot, message);
    }
    return score;
}

int main(void)
{
    static struct chain chain;
    chain_add(&chain, "length");
    chain_add(&chain, "colour");
    chain_add(&chain, "kind");
    int total = 0;
    for (int number = 0; number < 12; number++) {
        struct message message = {.kind = number % 3 + 1};
        snprintf(message.body, sizeof message.body, "message %d of the day", number);
        total += chain_run(&chain, &message);
        if (number % 5 == 4)
            chain_reload(&chain);
    }
    printf("%d\n", total);
    return 0;
}
