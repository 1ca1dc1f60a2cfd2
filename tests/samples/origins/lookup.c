/* Users and groups: a group's owner is looked up and may not be there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct user { int id; const char *name; };
struct group { const char *name; int owner; };

static struct user users[] = {{1, "ann"}, {2, "bob"}, {5, "eve"}};
static struct group groups[] = {{"staff", 1}, {"web", 5}, {"old", 4}};

static struct user *user_by_id(int id)
{
    for (size_t i = 0; i < sizeof users / sizeof *users; i++)
        if (users[i].id == id)
            return &users[i];
    return NULL;
}

static size_t describe(const struct group *g, char *out, size_t room)
{
    struct user *u = user_by_id(g->owner);
    return (size_t)snprintf(out, room, "%s of %c%s", g->name, u->name[0], u->name + 1);
}

int main(void)
{
    char line[64];
    size_t n = 0;
    for (int i = 0; i < 3; i++)
        n += describe(&groups[i], line, sizeof line);
    printf("%zu\n", n);
    return 0;
}
