/* attack: flags=-O2 */
/* Print jobs of a department and whom they are billed to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct user {
    char name[24];
    int pages;
    int logged_in;
};

struct job {
    int number;
    int pages;
    struct user *owner;
    struct job *next;
};

struct spooler {
    struct job *waiting;
    int next_number;
    long printed;
};

static struct user *user_login(const char *name)
{
    struct user *u = calloc(1, sizeof *u);
    if (u == NULL)
        exit(1);
    snprintf(u->name, sizeof u->name, "%s", name);
    u->logged_in = 1;
    return u;
}

static void job_submit(struct spooler *sp, struct user *owner, int pages)
{
    struct job *j = calloc(1, sizeof *j);
    if (j == NULL)
        exit(1);
    j->number = ++sp->next_number;
    j->pages = pages;
    j->owner = owner;
    j->next = sp->waiting;
    sp->waiting = j;
}

static __attribute__((noinline)) void user_logout(struct spooler *sp, struct user *u)
{
    for (struct job *j = sp->waiting; j != NULL; j = j->next)
        if (j->owner == u)
            j->owner = NULL; /*!*/
    u->logged_in = 0;
}

static __attribute__((noinline)) int spooler_run(struct spooler *sp)
{
    int jobs = 0;
    while (sp->waiting != NULL) {
        struct job *j = sp->waiting;
        j->owner->pages += j->pages;
        sp->printed += j->pages;
        sp->waiting = j->next;
        free(j);
        jobs++;
    }
    return jobs;
}

int main(void)
{
    struct spooler sp = {0};
    struct user *kim = user_login("kim"), *lee = user_login("lee");
    job_submit(&sp, kim, 4);
    job_submit(&sp, lee, 2);
    printf("%d jobs\n", spooler_run(&sp));
    job_submit(&sp, kim, 10);
    job_submit(&sp, lee, 1);
    job_submit(&sp, kim, 3);
    user_logout(&sp, lee);
    printf("%d jobs\n", spooler_run(&sp));
    printf("%s %d, %s %d, all %ld\n", kim->name, kim->pages, lee->name, lee->pages, sp.printed);
    return 0;
}
