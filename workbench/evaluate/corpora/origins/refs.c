// A queue of jobs; one way out gives a reference back that it never took. flags: -g -O2
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job { int refs; int priority; char *name; };
struct queue { struct job *slots[16]; int used; };

static struct job *job_new(const char *name, int priority)
{
    struct job *j = malloc(sizeof *j);
    j->refs = 1;
    j->priority = priority;
    j->name = strdup(name);
    return j;
}

static struct job *job_ref(struct job *j) { j->refs++; return j; }

static void __attribute__((noinline)) job_unref(struct job *j)
{
    if (--j->refs > 0)
        return;
    free(j->name);
    j->name = NULL;
    free(j);
}

static int __attribute__((noinline)) push(struct queue *q, struct job *j)
{
    if (q->used == 16)
        return -1;
    q->slots[q->used++] = job_ref(j);
    return 0;
}

static void __attribute__((noinline)) drop_low(struct queue *q, int limit)
{
    for (int i = 0; i < q->used; i++) {
        struct job *j = q->slots[i];
        if (j->priority < limit)
            job_unref(j); /* origin drop_low */
    }
}

static size_t __attribute__((noinline)) list(const struct queue *q)
{
    size_t total = 0;
    for (int i = 0; i < q->used; i++)
        total += strlen(q->slots[i]->name);
    return total;
}

int main(void)
{
    struct queue q = {0};
    for (int i = 0; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "job number %d of eight", i);
        struct job *j = job_new(name, i);
        push(&q, j);
        job_unref(j);
    }
    printf("%zu\n", list(&q));
    drop_low(&q, 3);
    printf("%zu\n", list(&q));
    return 0;
}
