/* attack: flags=-O0; values=send:s->key,send:s,send:&s->key */
#include <stdio.h>
#include <stdlib.h>
enum state { NEW, KEYED, READY };
struct key { int value; };
struct ses { enum state state; struct key *key; int sent; };
static void start(struct ses *s, int v)
{
    s->key = malloc(sizeof *s->key);
    s->key->value = v;
    s->state = KEYED;
}
static void step(struct ses *s)
{
    s->state++;
}
static int send(struct ses *s, int n)
{
    if (s->state != READY)
        return -1;
    s->sent += n * s->key->value;
    return s->sent;
}
int main(void)
{
    struct ses *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    start(a, 3);
    step(a);
    printf("%d\n", send(a, 1));
    step(b);
    step(b); /*!*/
    printf("%d\n", send(b, 1));
    return 0;
}
