#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 4

struct record {
    int level;
    char *text;
    struct record *next;
};

struct log {
    struct record *first, **last;
    const char *host;
    unsigned count;
};

static const char *const LEVELS[] = { "debug", "info", "warning", "error" };

static char *compose(const char *host, const char *level, const char *message)
{
    size_t length = strlen(host) + strlen(level) + strlen(message) + 3;
    char *text = malloc(length);
    strcpy(text, host);
    strcat(text, " [");
    strcat(text, level);
    strcat(text, "] ");
    strcat(text, message);
    return text;
}

static struct record *record_new(struct log *l, int level, const char *message)
{
    struct record *r = malloc(sizeof *r);
    r->level = level;
    r->text = compose(l->host, LEVELS[level], message);
    r->next = NULL;
    return r;
}

static void record_free(struct record *r)
{
    free(r->text);
    free(r);
}

static void log_add(struct log *l, int level, const char *message)
{
    struct record *r = record_new(l, level, message);
    *l->last = r;
    l->last = &r->next;
    l->count++;
    if (l->count > KEPT) {
        r = l->first;
        l->first = r->next;
        l->count--;
        record_free(r);
    }
}

static void log_flush(struct log *l, FILE *out)
{
    while (l->first) {
        struct record *r = l->first;
        l->first = r->next;
        fprintf(out, "%s\n", r->text);
        record_free(r);
    }
    l->last = &l->first;
}

int main(void)
{
    struct log *l = calloc(1, sizeof *l);
    l->host = "build-7";
    l->last = &l->first;
    log_add(l, 1, "started");
    log_add(l, 0, "reading the configuration");
    log_add(l, 1, "listening on port 8080");
    log_add(l, 2, "disk is slow");
    log_add(l, 1, "worker 1 is up");
    log_add(l, 3, "no memory");
    log_add(l, 2, "no user was read");
    log_add(l, 1, "worker 2 is up and waits");
    log_add(l, 1, "ready for requests");
    log_flush(l, stdout);
    printf("%u\n", l->count);
    free(l);
    return 0;
}
