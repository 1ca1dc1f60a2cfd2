/* attack: flags=-O0 */
#include <stdlib.h>
struct thing { struct thing *next; long id; const char *text; };
struct job { struct thing *thing; int state; };
static struct thing all[8];
static struct thing *unused;
static int live;
static struct thing *get(void) { struct thing *one; live++; one = unused; unused = one->next; return one; }
static void put(struct thing *one) { live--; one->next = unused; unused = one; }
static void set(struct thing *one, long id, const char *text) { one->id = id; one->text = text; }
static void mark(struct thing *one, long id) { set(one, id, (char *)(id * 0x111)); }
static struct job *begin(long id)
{
    struct job *job = calloc(1, sizeof *job);
    job->thing = get();
    set(job->thing, id, "text");
    return job;
}
static void late(struct job *job)
{
    job->state = 2;
    put(job->thing); 
}
static void end(struct job *job)
{
    put(job->thing); /*!*/
    free(job);
}
static long use(const struct job *job) { return job->thing->text[0] + job->thing->id; }
int main(void)
{
    for (struct thing *one = all; one < all + 8; one++)
        put(one);
    struct job *first = begin(1), *other = begin(2);
    long sum = use(first) + use(other);
    late(other);
    struct job *again = calloc(1, sizeof *again); again->thing = other->thing; end(again); other = begin(5);
    mark(begin(3)->thing, 0x1234);
    mark(begin(4)->thing, 0x2345);
    return (int)(sum + use(other));
}
