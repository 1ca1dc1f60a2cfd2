/* A field is cleared after its block had grown, and read by a call of a library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct tag { char *name; char *value; int hits; };
struct doc { struct tag *tags; int count, room; char *title; };
static struct doc *__attribute__((noinline)) doc_new(const char *title) {
    struct doc *d = calloc(1, sizeof *d);
    d->title = strdup(title);
    return d;
}
static void __attribute__((noinline)) doc_tag(struct doc *d, const char *name, const char *value) {
    if (d->count == d->room) { d->room = d->room ? d->room * 2 : 4; d->tags = realloc(d->tags, d->room * sizeof *d->tags); }
    struct tag *t = &d->tags[d->count++];
    t->name = strdup(name); t->value = strdup(value); t->hits = 0;
}
static void __attribute__((noinline)) doc_strip(struct doc *d, const char *prefix) {
    size_t n = strlen(prefix);
    for (int i = 0; i < d->count; i++)
        if (!strncmp(d->tags[i].name, prefix, n)) {
            free(d->tags[i].value);
            d->tags[i].value = NULL; /* origin doc_strip */
        }
}
static void __attribute__((noinline)) doc_touch(struct doc *d) { for (int i = 0; i < d->count; i++) d->tags[i].hits++; }
static int __attribute__((noinline)) doc_width(const struct doc *d) {
    size_t w = 0;
    for (int i = 0; i < d->count; i++) {
        size_t n = strlen(d->tags[i].value);
        if (n > w) w = n;
    }
    return (int)w;
}
int main(void) {
    struct doc *d = doc_new("notes");
    char name[16], value[32];
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, i % 5 == 3 ? "x-%d" : "tag%d", i);
        snprintf(value, sizeof value, "value of %d", i * 100);
        doc_tag(d, name, value);
    }
    printf("%d\n", doc_width(d));
    doc_strip(d, "x-");
    for (int i = 0; i < 100; i++) doc_touch(d);
    printf("%d\n", doc_width(d));
    return 0;
}
