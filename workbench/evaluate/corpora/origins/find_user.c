/* A lookup that gives back null, kept for later. flags: -g -O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct user {
    char name[16];
    int level;
};

struct request {
    const char *who;
    struct user *user;
    int cost;
};

static struct user users[] = {{"ada", 3}, {"bob", 1}, {"cyd", 2}};

static struct user *find_user(const char *name) {
    for (size_t i = 0; i < sizeof users / sizeof *users; i++)
        if (strcmp(users[i].name, name) == 0)
            return &users[i];
    return NULL; /* origin find_user */
}

static void bind(struct request *request) {
    struct user *found = find_user(request->who);
    request->user = found;
}

static int price(const struct request *request) {
    return request->cost * request->user->level;
}

static int serve(struct request *requests, int count) {
    int total = 0;
    for (int i = 0; i < count; i++)
        bind(&requests[i]);
    for (int i = 0; i < count; i++)
        total += price(&requests[i]);
    return total;
}

int main(void) {
    struct request *requests = calloc(4, sizeof *requests);
    const char *names[] = {"ada", "bob", "eve", "cyd"};
    for (int i = 0; i < 4; i++) {
        requests[i].who = names[i];
        requests[i].cost = i + 1;
    }
    printf("%d\n", serve(requests, 4));
    free(requests);
    return 0;
}
