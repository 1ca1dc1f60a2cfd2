/* Reads a configuration of sections, each of a kind, and applies them one after another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    int port, threads, verbose;
};

struct section {
    struct section *next;
    char title[24];
    int value;
    void (*apply)(struct settings *, const struct section *);
};

static void apply_port(struct settings *all, const struct section *s) { all->port = s->value; }
static void apply_threads(struct settings *all, const struct section *s) { all->threads = s->value; }
static void apply_verbose(struct settings *all, const struct section *s) { all->verbose = s->value; }

static char *trim(const char *text)
{
    while (*text == ' ')
        text++;
    char *copy = strdup(text);
    size_t n = strlen(copy);
    while (n && copy[n - 1] == ' ')
        copy[--n] = 0;
    return copy;
}

static struct section *section_read(const char *line)
{
    char *clean = trim(line);
    char *equals = strchr(clean, '=');
    struct section *s;
    if (!equals) {
        free(clean);
        return NULL;
    }
    *equals = 0;
    s = malloc(sizeof *s);
    s->next = NULL;
    snprintf(s->title, sizeof s->title, "%s", clean);
    s->value = atoi(equals + 1);
    if (strcmp(clean, "port") == 0)
        s->apply = apply_port;
    else if (strcmp(clean, "threads") == 0)
        s->apply = apply_threads;
    else if (strcmp(clean, "verbose") == 0)
        s->apply = apply_verbose;
    else
        fprintf(stderr, "unknown: %s\n", clean);
    free(clean);
    return s;
}

static struct section *read_all(const char **lines, int n)
{
    struct section *first = NULL, **last = &first;
    for (int i = 0; i < n; i++) {
        struct section *s = section_read(lines[i]);
        if (!s)
            continue;
        *last = s;
        last = &s->next;
    }
    return first;
}

static void apply_all(const struct section *s, struct settings *all)
{
    for (; s; s = s->next)
        s->apply(all, s);
}

int main(void)
{
    const char *lines[] = {"  port=8080", "threads=4 ", "# all of it", "colour of the first theme that is shown=3", "verbose=1"};
    struct settings all = {0};
    struct section *first;
    char *scratch = malloc(56);
    memset(scratch, 0x2e, 56);
    free(scratch);
    first = read_all(lines, 5);
    apply_all(first, &all);
    printf("%d %d %d\n", all.port, all.threads, all.verbose);
    return 0;
}
