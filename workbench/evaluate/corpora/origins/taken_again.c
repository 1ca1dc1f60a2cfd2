/* A pool in a struct, whose object is taken again by another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct msg { int kind; int len; struct msg *next; const char *text; long seq; };
struct pool { struct msg *free; int made, used; };
struct queue { struct msg *head, *tail; };
static struct msg *__attribute__((noinline)) take(struct pool *p) {
    struct msg *m = p->free;
    if (m) p->free = m->next; else { m = malloc(sizeof *m); p->made++; }
    memset(m, 0, sizeof *m);
    p->used++;
    return m;
}
static void __attribute__((noinline)) give(struct pool *p, struct msg *m) { m->next = p->free; p->free = m; p->used--; }
static void __attribute__((noinline)) post(struct queue *q, struct msg *m) { m->next = NULL; if (q->tail) q->tail->next = m; else q->head = m; q->tail = m; }
static struct msg *last_seen;
static void __attribute__((noinline)) handle(struct pool *p, struct queue *q) {
    struct msg *m = q->head;
    q->head = m->next; if (!q->head) q->tail = NULL;
    if (m->kind == 2) last_seen = m;
    give(p, m); /* origin handle */
}
static void __attribute__((noinline)) send(struct pool *p, struct queue *q, int kind, const char *text) {
    struct msg *m = take(p);
    m->kind = kind; m->len = (int)strlen(text); m->text = kind == 9 ? NULL : text; post(q, m);
}
static int __attribute__((noinline)) replay(void) { return last_seen ? last_seen->text[0] + last_seen->len : 0; }
int main(void) {
    struct pool p = {0}; struct queue q = {0};
    send(&p, &q, 1, "hello"); send(&p, &q, 2, "state"); send(&p, &q, 1, "bye");
    while (q.head) handle(&p, &q);
    printf("%d\n", replay());
    send(&p, &q, 9, "x"); send(&p, &q, 9, "y");
    printf("%d\n", replay());
    return 0;
}
