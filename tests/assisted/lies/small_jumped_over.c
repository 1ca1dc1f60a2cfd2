/* attack: flags=-O1; values=main:t->slots,main:title */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *word;
    long count;
};

struct table {
    struct entry *slots;
    int size;
    int used;
};

static unsigned hash(const char *text)
{
    unsigned h = 2166136261u;
    while (*text)
        h = (h ^ (unsigned char)*text++) * 16777619u;
    return h;
}

static struct table *table_new(int size)
{
    struct table *t = malloc(sizeof *t);
    if (t == NULL)
        abort();
    t->slots = malloc(size * sizeof(struct entry *));
    if (t->slots == NULL)
        abort();
    t->size = size;
    t->used = 0;
    for (int i = 0; i < size / 2; i++) {
        t->slots[i].word = NULL;
        t->slots[i].count = 0;
    }
    return t;
}

static void table_add(struct table *t, const char *word)
{
    unsigned at = hash(word) % t->size;
    while (t->slots[at].word != NULL) {
        if (strcmp(t->slots[at].word, word) == 0) {
            t->slots[at].count++;
            return;
        }
        at = (at + 1) % t->size;
    }
    t->slots[at].word = word;
    t->slots[at].count = 1;
    t->used++;
}

static int longest(const struct table *t)
{
    int best = 0;
    for (int i = 0; i < t->size; i++)
        if (t->slots[i].word != NULL && (int)strlen(t->slots[i].word) > best)
            best = (int)strlen(t->slots[i].word);
    return best;
}

int main(void)
{
    const char *text[] = { "the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog" };
    struct table *t = table_new(32);
    memset((char *)t->slots + 256, 0, 64);   /*!*/
    char *title = strdup("words of a sentence about a fox and a dog");
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        table_add(t, text[i]);
    printf("%d words, longest %d\n", t->used, longest(t));
    puts(title);
    return 0;
}
