/* A list of peers: a nickname is copied past its array onto the link behind it, and the walk that
   takes the next peer from there into its own variable fails long after. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct peer {
    char nick[16];
    struct peer *next;
    int fd;
};

static struct peer *all;

static struct peer *add(int fd) {
    struct peer *p = calloc(1, sizeof *p);
    p->fd = fd;
    p->next = all;
    return all = p;
}

static void rename_peer(struct peer *p, const char *nick) {
    strcpy(p->nick, nick); // origin rename_peer
}

static struct peer *find(int fd) {
    struct peer *p = all;
    while (p != NULL && p->fd != fd)
        p = p->next;
    return p;
}

int main(int argc, char **argv) {
    for (int fd = 1; fd < 6; fd++)
        add(fd);
    rename_peer(find(3), argc > 1 ? argv[1] : "a nickname that is long");
    printf("%d\n", find(1)->fd);
    return 0;
}
