/* attack: flags=-O0 */

#include <stdlib.h>
struct clerk { const char *name; };
struct row { long *held; long count; };
__attribute__((noinline)) static void reserve(struct row *r, long more)
{
    r->held = realloc(r->held, more * sizeof *r->held);
}
__attribute__((noinline)) static void add(struct row *r, long one)
{
    r->held[r->count++] = one;
}
__attribute__((noinline)) static void add_all(struct row *r, const long *from, long count)
{
    reserve(r, count);
    for (long at = 0; at < count; at++)
        add(r, from[at]);
}
int main(int count, char **words)
{
    static const long some[] = {11, 22, 33, 44, 55, 66, 77};
    struct row r = {NULL, 0};
    add_all(&r, some, 6 + count);
    struct clerk *clerk = malloc(sizeof *clerk);
    clerk->name = "Ada";
    add_all(&r, some, 2 + count);
    return clerk->name[0] + (words == NULL);
}
