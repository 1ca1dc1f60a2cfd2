/* attack: flags=-O1; values=reply_send:r,reply_send:r->conn,reply_send:r->conn->out,server_flush:s,server_flush:r,main:s,buf_put:b,server_flush:r->conn */
/* A server: connections, and replies that wait to be sent on one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buf {
    char *data;
    size_t used, size;
};

struct conn {
    struct conn *next;
    struct buf *out;
    int id;
    int idle;
};

struct reply {
    struct reply *next;
    struct conn *conn;
    int code;
};

struct server {
    struct conn *conns;
    struct reply *first, **last;
    int next_id;
};

static __attribute__((noinline)) struct buf *buf_new(void)
{
    struct buf *b = malloc(sizeof *b);
    b->data = NULL;
    b->used = b->size = 0;
    return b;
}

static __attribute__((noinline)) void buf_put(struct buf *b, const char *text, size_t n)
{
    if (b->used + n > b->size) {
        b->size = (b->used + n) * 2;
        b->data = realloc(b->data, b->size);
    }
    memcpy(b->data + b->used, text, n);
    b->used += n;
}

static void buf_free(struct buf *b)
{
    free(b->data);
    free(b);
}

static struct server *server_new(void)
{
    struct server *s = calloc(1, sizeof *s);
    s->last = &s->first;
    return s;
}

static __attribute__((noinline)) struct conn *server_accept(struct server *s)
{
    struct conn *c = malloc(sizeof *c);
    c->out = buf_new();
    c->id = s->next_id++;
    c->idle = 0;
    c->next = s->conns;
    s->conns = c;
    return c;
}

static __attribute__((noinline)) void server_reply(struct server *s, struct conn *c, int code)
{
    struct reply *r = malloc(sizeof *r);
    r->conn = c;
    r->code = code;
    r->next = NULL;
    *s->last = r;
    s->last = &r->next;
    c->idle = 0;
}

static __attribute__((noinline)) void server_tick(struct server *s)
{
    struct conn **at = &s->conns;
    while (*at) {
        struct conn *c = *at;
        if (++c->idle > 3) {
            *at = c->next;
            buf_free(c->out);
            free(c); /*!*/
        } else {
            at = &c->next;
        }
    }
}

static __attribute__((noinline)) void reply_send(struct reply *r)
{
    char line[32];
    int n = snprintf(line, sizeof line, "%d\n", r->code);
    buf_put(r->conn->out, line, (size_t)n);
}

static __attribute__((noinline)) int server_flush(struct server *s)
{
    int sent = 0;
    while (s->first) {
        struct reply *r = s->first;
        reply_send(r);
        s->first = r->next;
        free(r);
        sent++;
    }
    s->last = &s->first;
    return sent;
}

int main(void)
{
    struct server *s = server_new();
    struct conn *conns[3];
    for (int i = 0; i < 3; i++)
        conns[i] = server_accept(s);
    server_reply(s, conns[0], 200);
    server_reply(s, conns[2], 404);
    printf("%d sent\n", server_flush(s));
    server_reply(s, conns[1], 500);
    for (int i = 0; i < 5; i++) {
        server_tick(s);
        if (i < 3)
            conns[2]->idle = 0;
    }
    server_accept(s);
    printf("%d sent\n", server_flush(s));
    return 0;
}
