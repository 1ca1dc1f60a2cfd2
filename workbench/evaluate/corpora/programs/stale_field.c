/* A new connection lies where a freed one lay; its peer is never set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct connection {
    struct connection *peer;
    long id;
    char name[40];
};

static struct connection *connect_to(const char *name, long id) {
    struct connection *made = malloc(sizeof *made);
    made->id = id;
    strcpy(made->name, name);
    return made;
}

__attribute__((noinline)) static long peer_id(const struct connection *c) {
    return c->peer->id;
}

int main(void) {
    struct connection *a = connect_to("a", 1), *b = connect_to("b", 2);
    free(a);
    free(b);
    printf("%ld\n", peer_id(connect_to("c", 3)));
    return 0;
}
