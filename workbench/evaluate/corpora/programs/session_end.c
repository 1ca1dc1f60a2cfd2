#include <stdio.h>
#include <stdlib.h>

struct session {
    void (*closed)(struct session *);
    int id;
    char user[24];
};

static void report(struct session *session)
{
    printf("session %d of %s closed\n", session->id, session->user);
}

__attribute__((noinline)) static struct session *begin(int id)
{
    struct session *session = calloc(1, sizeof *session);

    session->closed = report;
    session->id = id;
    snprintf(session->user, sizeof session->user, "user%d", id);
    return session;
}

__attribute__((noinline)) static int verify(struct session *session)
{
    if (session->id % 2 == 0)
        return 1;
    free(session);
    return 0;
}

__attribute__((noinline)) static void finish(struct session *session)
{
    session->closed(session);
}

int main(void)
{
    struct session *others = begin(2), *session = begin(3);

    if (!verify(session))
        puts("refused");
    finish(others);
    finish(session);
    return 0;
}
