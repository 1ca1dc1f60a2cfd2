/* A small reader of length-prefixed message parts. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
    char name[16];
    uint16_t room;
    unsigned char *body;
};

struct message {
    struct part parts[8];
    int nparts;
};

static size_t number(const char *text)
{
    size_t n = 0;
    while (*text >= '0' && *text <= '9')
        n = n * 10 + (size_t)(*text++ - '0');
    return n;
}

static void set_length(struct part *p, const char *value)
{
    size_t n = number(value);
    if (n == 0)
        return;
    p->room = n; /* origin set_length */
}

static int reserve(struct part *p)
{
    p->body = malloc(p->room);
    return p->body != NULL;
}

static int parse_part(struct message *m, const char *line)
{
    struct part *p = &m->parts[m->nparts++];
    const char *eq = strchr(line, '=');
    if (!eq)
        return -1;
    size_t n = (size_t)(eq - line);
    memcpy(p->name, line, n < 15 ? n : 15);
    set_length(p, eq + 1);
    return reserve(p) ? 0 : -1;
}

static void fill(struct part *p, const unsigned char *src, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p->body[i] = src[i % 64];
}

static unsigned checksum(const struct part *p, size_t n)
{
    unsigned s = 0;
    for (size_t i = 0; i < n; i++)
        s = s * 31 + p->body[i];
    return s;
}

int main(void)
{
    static const char *lines[] = {"subject=24", "from=40", "blob=65552", "tail=32"};
    static const size_t sent[] = {24, 40, 65552, 32};
    unsigned char data[64];
    struct message m = {0};
    for (int i = 0; i < 64; i++)
        data[i] = (unsigned char)(i * 7 + 65);
    for (int i = 0; i < 4; i++)
        if (parse_part(&m, lines[i]) != 0)
            return 1;
    for (int i = 0; i < m.nparts; i++) {
        fill(&m.parts[i], data, sent[i]);
        printf("%s %08x\n", m.parts[i].name, checksum(&m.parts[i], sent[i]));
    }
    for (int i = 0; i < m.nparts; i++)
        free(m.parts[i].body);
    return 0;
}
