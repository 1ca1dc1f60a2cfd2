/* A mark for what has moved is taken for a place, many pages away. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct page { uint16_t count, free_at; uint16_t offsets[10]; char data[200]; };
struct book { struct page *pages[4]; int used; };
static struct page *page_new(void)
{
    struct page *p = calloc(1, sizeof *p);
    p->free_at = sizeof p->data;
    return p;
}
static int page_put(struct page *p, const char *text)
{
    size_t n = strlen(text) + 1;
    p->free_at -= n;
    memcpy(p->data + p->free_at, text, n);
    p->offsets[p->count] = p->free_at;
    return p->count++;
}
static struct page *page_split(struct page *p)
{
    struct page *q = page_new();
    int half = p->count / 2;
    for (int i = half; i < p->count; i++)
        page_put(q, p->data + p->offsets[i]);
    for (int i = half; i < p->count; i++)
        p->offsets[i] = 0xffff; /* origin page_split */
    return q;
}
static char **index_page(const struct page *p)
{
    char **all = malloc(p->count * sizeof *all);
    for (int i = 0; i < p->count; i++)
        all[i] = (char *)p + (size_t)p->offsets[i] * 4096;
    return all;
}
static int sum(const struct page *p)
{
    int n = 0;
    char **all = index_page(p);
    for (int i = 0; i < p->count; i++)
        if (p->offsets[i] > 300)
            n += *all[i];
    free(all);
    return n;
}
int main(void)
{
    struct book b = {{page_new()}, 1};
    page_put(b.pages[0], "ant");
    page_put(b.pages[0], "bee");
    page_put(b.pages[0], "cat");
    page_put(b.pages[0], "dog");
    printf("%d\n", sum(b.pages[0]));
    b.pages[b.used++] = page_split(b.pages[0]);
    printf("%d\n", sum(b.pages[0]));
    return 0;
}
