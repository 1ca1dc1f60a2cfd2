/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct session { long opened; char *key; struct session *next; };
struct pool { struct session *first; int count; };
static struct session *session_new(struct pool *p, const char *key)
{
    struct session *s = malloc(sizeof *s);
    s->opened = p->count++;
    s->key = strdup(key);
    s->next = p->first;
    p->first = s;
    return s;
}

static void session_end(struct session *s)
{
    printf("end of %ld\n", s->opened);
    free(s->key);
    free(s);
}
int main(void)
{
    struct pool pool = { 0, 0 };
    struct session *ann = session_new(&pool, "the key of ann, long"), *bob = session_new(&pool, "the key of bob, long");
    bob->key = ann->key; /*!*/
    session_end(ann);
    session_end(bob);
    return 0;
}
