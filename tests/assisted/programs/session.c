#include "session.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session *session_open(struct server *server, int number)
{
    struct session *session = calloc(1, sizeof *session);
    if (session == NULL)
        abort();
    session->number = number;
    session->next = server->sessions;
    server->sessions = session;
    server->opened++;
    return session;
}

int session_login(struct server *server, struct session *session, const char *name, int rights)
{
    struct user *user = malloc(sizeof *user);
    if (user == NULL)
        return 0;
    snprintf(user->name, sizeof user->name, "%s", name);
    user->id = 500 + session->number;
    user->rights = rights;
    session->user = user;
    session->since = server->now;
    return 1;
}

void session_expire(struct server *server, long limit)
{
    for (struct session *session = server->sessions; session != NULL; session = session->next) {
        if (server->now - session->since <= limit)
            continue;
        free(session->user);
        session->user = NULL;
        server->closed++;
    }
}

int session_rights(const struct session *session)
{
    return session->user->rights;
}
