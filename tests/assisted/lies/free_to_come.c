/* attack: flags=-O0; cat=use-after-free; values=show:n,main:list[0],main:list[1],main:cur */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { long id; char *text; long pad[2]; };
static void drop(struct node *n)
{
    free(n);
}
static void show(struct node *n)
{
    printf("%s\n", n->text);
}
int main(void)
{
    struct node *list[2];
    struct node *cur;
    struct node *old = calloc(1, sizeof *old);
    drop(old);
    for (int i = 0; i < 2; i++) {
        list[i] = malloc(sizeof *list[i]);
        memset(list[i], 'z', sizeof *list[i]); /*!*/
    }
    cur = list[0];
    show(cur);
    drop(list[1]);
    return 0;
}
