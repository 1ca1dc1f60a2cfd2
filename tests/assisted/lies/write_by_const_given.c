/* attack: flags=-O0; values=log_flush:l,log_flush:l->sink,main:l,log_add:l,log_flush:l->next,log_add:l->next,main:l->sink,main:l->next,log_flush:&l->sink */
/* Keeps the last lines of a log, and writes them to a sink. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES 6

struct sink {
    const char *name;
    unsigned written;
};

struct line {
    unsigned time;
    const char *text;
};

struct log {
    size_t next, kept;
    struct line lines[LINES];
    struct sink *sink;
};

static struct log *log_new(struct sink *sink)
{
    struct log *l = calloc(1, sizeof *l);
    l->sink = sink;
    return l;
}

static void log_add(struct log *l, unsigned time, const char *text)
{
    if (l->next >= LINES) 
        l->next = 0;
    l->lines[l->next].time = time; 
    l->lines[l->next].text = text; 
    l->next++;
    if (l->kept < LINES)
        l->kept++;
}

static const struct line *log_last(const struct log *l)
{
    return l->kept ? &l->lines[l->next - 1] : NULL;
}

static void log_flush(struct log *l)
{
    for (size_t i = 0; i < l->kept; i++)
        if (l->lines[i].text)
            l->sink->written += (unsigned)strlen(l->lines[i].text);
    l->kept = 0;
}

static void stamp(const struct line *at, unsigned time)
{
    struct line *line = (struct line *)at;
    line[6].time = time; /*!*/
}

int main(void)
{
    struct sink sink = {"console", 0};
    struct log *l = log_new(&sink);
    static const char *texts[] = {"start", "load", "ready", "get", "put", "get", "stop"};
    for (unsigned i = 0; i < 3; i++)
        log_add(l, 100 + i, texts[i]);
    log_flush(l);
    printf("%s: %u\n", log_last(l) ? "" : "none", sink.written);
    for (unsigned i = 3; i < 7; i++)
        log_add(l, 100 + i, texts[i]);
    stamp(log_last(l), 9);
    log_flush(l);
    printf("%u\n", sink.written);
    return 0;
}
