#include "session.h"
#include <stdio.h>

struct request {
    int session;
    int needs;
    long at;
};

static struct session *session_of(struct server *server, int number)
{
    struct session *found = server->sessions;
    while (found != NULL && found->number != number)
        found = found->next;
    return found;
}

static int allowed(struct server *server, const struct request *request)
{
    struct session *session = session_of(server, request->session);
    if (session == NULL)
        return 0;
    session->requests++;
    return (session_rights(session) & request->needs) == request->needs;
}

static int serve(struct server *server, const struct request *requests, int count)
{
    int served = 0;
    for (int at = 0; at < count; at++) {
        server->now = requests[at].at;
        if (at % 3 == 2)
            session_expire(server, 60);
        served += allowed(server, &requests[at]);
    }
    return served;
}

int main(void)
{
    static const struct request requests[] = {
        {1, 1, 110}, {2, 2, 120}, {1, 1, 130}, {3, 4, 150}, {2, 1, 165}, {3, 4, 185}, {1, 2, 190},
    };
    struct server server = {.now = 100};
    for (int number = 1; number <= 3; number++) {
        struct session *session = session_open(&server, number);
        server.now += 10 * number;
        if (!session_login(&server, session, "guest", 7))
            return 1;
    }
    printf("%d served\n", serve(&server, requests, 7));
    return 0;
}
