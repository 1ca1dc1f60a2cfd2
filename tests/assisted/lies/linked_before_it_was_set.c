/* attack: flags=-O0 */
#include <stdlib.h>
struct job { int id; void (*done)(struct job *); struct job *next; };
static struct job *first;
static void finished(struct job *j) { j->id = -1; }
__attribute__((noinline)) static void work(void)
{
    for (struct job *j = first; j != NULL; j = j->next)
        if (j->id >= 0)
            j->done(j);
}
static void cancel(struct job *j)
{
    j->done = NULL;
    j->id = -2;
}
int main(void)
{
    for (int id = 0; id < 3; id++) {
        struct job *j = calloc(1, sizeof *j); /*!*/
        j->id = id;
        j->next = first;
        first = j;
        if (id == 2) {
            cancel(first->next);
            work(); /*!*/
        }
        j->done = finished; /*!*/
    }
    return first->id;
}
