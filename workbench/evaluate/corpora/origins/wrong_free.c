/* A constant is marked as owned, and freed with the rest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct name { const char *text; int owned; };
struct record { struct name first, last; struct record *next; };
static const char *common[] = {"smith", "jones", NULL};
__attribute__((noinline)) static void intern(struct name *n, const char *text)
{
    n->owned = 1;
    for (int i = 0; common[i]; i++)
        if (strcmp(common[i], text) == 0) {
            n->text = common[i]; /* origin intern */
            return;
        }
    n->text = strdup(text);
}
__attribute__((noinline)) static struct record *record_new(struct record *next, const char *a, const char *b)
{
    struct record *r = calloc(1, sizeof *r);
    intern(&r->first, a);
    intern(&r->last, b);
    r->next = next;
    return r;
}
__attribute__((noinline)) static void drop(struct name *n)
{
    if (n->owned)
        free((char *)n->text);
    n->text = NULL;
}
__attribute__((noinline)) static void drop_all(struct record *r)
{
    while (r) {
        struct record *next = r->next;
        drop(&r->first);
        drop(&r->last);
        free(r);
        r = next;
    }
}
int main(void)
{
    struct record *all = record_new(NULL, "ann", "smith");
    all = record_new(all, "bob", "brown");
    all = record_new(all, "cid", "green");
    drop_all(all);
    puts("done");
    return 0;
}
