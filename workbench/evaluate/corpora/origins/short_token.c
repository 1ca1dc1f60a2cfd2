/* Counted sessions in a hash table; an error path drops one holder too many. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 16

struct session {
    int refs;
    unsigned id;
    char *user;
    struct session *next;
    long used;
};

static struct session *table[BUCKETS];

static struct session *session_ref(struct session *s)
{
    s->refs++;
    return s;
}

static void session_unref(struct session *s)
{
    if (--s->refs > 0)
        return;
    free(s->user);
    memset(s, 0xdd, sizeof *s);
    free(s);
}

static struct session *session_open(unsigned id, const char *user)
{
    struct session *s = calloc(1, sizeof *s);
    s->refs = 1;
    s->id = id;
    s->user = strdup(user);
    s->next = table[id % BUCKETS];
    table[id % BUCKETS] = s;
    return s;
}

static struct session *session_find(unsigned id)
{
    for (struct session *s = table[id % BUCKETS]; s; s = s->next)
        if (s->id == id)
            return session_ref(s);
    return NULL;
}

static int authorize(struct session *s, const char *token)
{
    if (strlen(token) < 4) {
        fprintf(stderr, "short token for %s\n", s->user);
        session_unref(s); /* origin authorize */
        return -1;
    }
    s->used++;
    return 0;
}

static int request(unsigned id, const char *token)
{
    struct session *s = session_find(id);
    if (!s)
        return 404;
    int status = authorize(s, token) == 0 ? 200 : 403;
    session_unref(s);
    return status;
}

static long report(void)
{
    long sum = 0;
    for (int i = 0; i < BUCKETS; i++)
        for (struct session *s = table[i]; s; s = s->next)
            sum += s->used + (long)strlen(s->user);
    return sum;
}

int main(void)
{
    session_open(1, "ann");
    session_open(17, "bob");
    session_open(33, "eve");
    session_open(5, "joe");
    printf("%d\n", request(17, "secret"));
    printf("%d\n", request(33, "abc"));
    printf("%d\n", request(5, "longer"));
    printf("%d\n", request(1, "token"));
    printf("%ld\n", report());
    return 0;
}
