/* A name that is longer than its field, copied by a function that leaves by a jump. flags: -g -O3 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { char key[16]; struct item *chain; long score; };
struct table { struct item **buckets; unsigned size, used; };
__attribute__((noinline)) static unsigned hash(const char *k) { unsigned h = 5381; while (*k) h = h * 33 + (unsigned char)*k++; return h; }
__attribute__((noinline)) static void name_item(struct item *it, const char *key) {
    strcpy(it->key, key); /* origin name_item */
}
__attribute__((noinline)) static struct item *add(struct table *t, const char *key, long score) {
    struct item *it = malloc(sizeof *it);
    unsigned b = hash(key) % t->size;
    it->score = score;
    it->chain = t->buckets[b];
    name_item(it, key);
    t->buckets[b] = it;
    t->used++;
    return it;
}
__attribute__((noinline)) static long total(const struct table *t) {
    long sum = 0;
    for (unsigned b = 0; b < t->size; b++)
        for (const struct item *it = t->buckets[b]; it; it = it->chain)
            sum += it->score;
    return sum;
}
int main(void) {
    struct table t = {calloc(8, sizeof(struct item *)), 8, 0};
    const char *names[] = {"alpha", "beta", "gamma", "delta", "a-name-that-is-too-long-by-far", "eps"};
    long sum = 0;
    for (int i = 0; i < 6; i++) { add(&t, names[i], i); if (i == 3) sum += total(&t); }
    sum += total(&t);
    printf("%ld\n", sum);
    return 0;
}
