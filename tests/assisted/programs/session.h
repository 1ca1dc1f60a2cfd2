#ifndef SESSION_H
#define SESSION_H
#include <time.h>

struct user {
    int id;
    int rights;
    char name[24];
};

struct session {
    int number;
    struct user *user;
    long since;
    unsigned requests;
    struct session *next;
};

struct server {
    struct session *sessions;
    int opened;
    int closed;
    long now;
};

struct session *session_open(struct server *server, int number);
int session_login(struct server *server, struct session *session, const char *name, int rights);
void session_expire(struct server *server, long limit);
int session_rights(const struct session *session);
#endif
