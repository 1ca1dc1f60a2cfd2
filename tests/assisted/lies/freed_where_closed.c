/* attack: flags=-O0; values=page_render:title,page_render:b,page_render:b->data,main:b,page_render:&b->data,buf_add:b,main:page,page_render:p */
/* Renders a page into a buffer that grows; the title is filled in when the page is done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buf {
    char *data;
    size_t used, room;
};

static void buf_need(struct buf *b, size_t more)
{
    if (b->used + more < b->room)
        return;
    size_t room = b->room ? b->room : 64;
    while (room <= b->used + more)
        room *= 2;
    char *data = malloc(room);
    if (b->data)
        memcpy(data, b->data, b->used);
    free(b->data);
    b->data = data;
    b->room = room;
}

static void buf_add(struct buf *b, const char *text)
{
    size_t n = strlen(text);
    buf_need(b, n);
    memcpy(b->data + b->used, text, n);
    b->used += n;
}

static char *buf_hold(struct buf *b, size_t n)
{
    buf_need(b, n);
    char *at = b->data + b->used;
    memset(at, ' ', n);
    b->used += n;
    return at;
}

static void buf_close(struct buf *b)
{
    free(b->data); /*!*/
    b->data = malloc(150000);
    b->used = 0;
}

struct page {
    const char *title;
    size_t parts;
    char *where;
};

static void page_render(struct page *p, struct buf *b, const char *const *parts, size_t n)
{
    buf_add(b, "<h1>");
    p->where = buf_hold(b, 24);
    buf_add(b, "</h1>\n");
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 1000; k++) {
            buf_add(b, "<p>");
            buf_add(b, parts[i]);
            buf_add(b, "</p>\n");
        }
    p->parts = n;
    buf_close(b);
    memcpy(p->where, p->title, strlen(p->title));
}

int main(void)
{
    static const char *const parts[] = {"first part", "second part", "third"};
    struct page page = {"A short page", 0, NULL};
    struct buf b = {NULL, 0, 190000};
    b.data = malloc(b.room);
    page_render(&page, &b, parts, 3);
    fwrite(b.data, 1, 80, stdout);
    printf("%zu\n", b.used);
    return 0;
}
