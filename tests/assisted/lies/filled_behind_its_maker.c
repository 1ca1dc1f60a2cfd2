/* attack: flags=-O1 */

#include <stdlib.h>
#include <string.h>
struct job { int id; char *text; void (*done)(struct job *); };
static struct job *waiting;
static void finished(struct job *j) { j->id = -1; }
__attribute__((noinline)) static void work(void)
{
    waiting->done(waiting);
}
static void cancel(struct job *j)
{
    free(j->text);
    memset(j, 0, sizeof *j); /*!*/
}
int main(void)
{
    struct job *j = malloc(sizeof *j);
    j->id = 1;
    j->text = strdup("work");
    j->done = finished;
    waiting = j;
    work();
    cancel(j);
    work();
    return 0;
}
