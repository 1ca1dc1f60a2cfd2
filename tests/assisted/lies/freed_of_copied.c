/* attack: flags=-O0 */
#include <stdlib.h>
#include <string.h>
struct user { long id; char *name; long **seen; };
static struct user *user(long id)
{
    struct user *made = malloc(sizeof *made);
    made->id = id;
    made->name = strdup("name");
    made->seen = calloc(4, sizeof *made->seen);
    return made;
}
static struct user *clone(const struct user *from)
{
    struct user *made = malloc(sizeof *made);
    memcpy(made, from, sizeof *made);
    return made;
}
static void drop(struct user *one)
{
    free(one->name);
    free(one->seen); /*!*/
    free(one);
}
int main(void)
{
    struct user *first = user(1), *second = clone(first);
    drop(first);
    return second->seen[1] ? (int)*second->seen[1] : 0;
}
