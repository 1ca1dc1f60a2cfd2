/* A pointer to a local that is used after its function came back. flags: -g -O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct filter {
    const char *pattern;
    struct filter *next;
};

struct chain {
    struct filter *first;
    int count;
};

static void link_filter(struct chain *chain, struct filter *filter, const char *pattern) {
    filter->pattern = pattern;
    filter->next = chain->first;
    chain->first = filter;
    chain->count++;
}

static void add_default(struct chain *chain) {
    char scratch[240];
    struct filter filter;
    memset(scratch, 0, sizeof scratch);
    link_filter(chain, &filter, "*"); /* origin add_default */
}

static void add_named(struct chain *chain, const char *pattern) {
    link_filter(chain, malloc(sizeof(struct filter)), pattern);
}

static int scribble(int seed) {
    volatile long junk[64];
    for (int i = 0; i < 64; i++)
        junk[i] = 0x4545454545454545L + seed;
    return (int)junk[seed % 64];
}

static int matches(const struct filter *filter, char c) {
    return filter->pattern[0] == '*' || filter->pattern[0] == c;
}

static int count_matches(const struct chain *chain, const char *text) {
    int count = 0;
    for (const struct filter *filter = chain->first; filter != NULL; filter = filter->next)
        for (const char *at = text; *at != '\0'; at++)
            count += matches(filter, *at);
    return count;
}

int main(void) {
    struct chain chain = {NULL, 0};
    add_named(&chain, "a");
    add_default(&chain);
    int total = scribble(3);
    total += count_matches(&chain, "banana");
    printf("%d\n", total);
    return 0;
}
