/* A small event server: connections with timers and a broadcast list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <stdint.h>

enum level { L_DEBUG, L_INFO, L_WARN };
static int verbose;
static void logmsg(enum level lv, const char *fmt, ...)
{
    va_list ap;
    if (lv < L_WARN && !verbose)
        return;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

typedef struct conn conn_t;
typedef struct server server_t;
typedef void (*conn_cb)(server_t *srv, conn_t *c, void *arg);

struct conn {
    int fd;
    char *name;
    uint64_t sent;
    conn_t *next;
};

struct timer {
    unsigned when;
    conn_cb cb;
    conn_t *conn;
    struct timer *next;
};

struct server {
    conn_t *conns;
    struct timer *timers;
    unsigned now;
    int count;
};

static conn_t *conn_new(server_t *srv, int fd, const char *name)
{
    conn_t *c = calloc(1, sizeof(*c));
    if (!c)
        return NULL;
    c->fd = fd;
    c->name = strdup(name);
    c->next = srv->conns;
    srv->conns = c;
    srv->count++;
    logmsg(L_INFO, "new %s on %d", c->name, c->fd);
    return c;
}

static void conn_destroy(server_t *srv, conn_t *c)
{
    conn_t **pp = &srv->conns;
    while (*pp && *pp != c)
        pp = &(*pp)->next;
    if (*pp)
        *pp = c->next;
    srv->count--;
    logmsg(L_INFO, "closing %s", c->name);
    free(c->name);
    free(c);
}

static void timer_add(server_t *srv, unsigned when, conn_cb cb, conn_t *c)
{
    struct timer *t = malloc(sizeof(*t));
    t->when = when;
    t->cb = cb;
    t->conn = c;
    t->next = srv->timers;
    srv->timers = t;
}

static void on_ping(server_t *srv, conn_t *c, void *arg)
{
    (void)arg;
    c->sent += strlen(c->name);
    logmsg(L_DEBUG, "ping %s at %u", c->name, srv->now);
}

static void server_tick(server_t *srv)
{
    srv->now++;
    for (struct timer **tp = &srv->timers; *tp;) {
        struct timer *t = *tp;
        if (t->when > srv->now) {
            tp = &t->next;
            continue;
        }
        *tp = t->next;
        t->cb(srv, t->conn, NULL);
        free(t);
    }
}

static int server_input(server_t *srv, conn_t *c, const char *line)
{
    if (strcmp(line, "QUIT") == 0) {
        conn_destroy(srv, c);
        return 0;
    }
    if (strcmp(line, "PING") == 0)
        timer_add(srv, srv->now + 2, on_ping, c);
    return 1;
}

int main(int argc, char **argv)
{
    server_t srv;
    memset(&srv, 0, sizeof srv);
    verbose = argc > 5;
    conn_t *a = conn_new(&srv, 4, "alpha-client.example.org");
    conn_t *b = conn_new(&srv, 5, "beta-client.example.org.");
    server_input(&srv, a, "PING");
    server_input(&srv, b, "PING");
    server_input(&srv, a, "QUIT");
    for (int i = 0; i < 5; i++)
        server_tick(&srv);
    printf("%s %d\n", argv[0], srv.count);
    return 0;
}
