/* The second child fails by an index that its parent worked out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
struct job { int id; int first; int last; };
struct plan { struct job jobs[8]; int count; long *samples; int total; };
static struct plan *make_plan(int total) {
    struct plan *p = calloc(1, sizeof *p);
    p->total = total;
    p->samples = malloc(total * sizeof(long));
    for (int i = 0; i < total; i++) p->samples[i] = i * 3;
    return p;
}
static void split(struct plan *p, int parts) {
    int step = p->total / parts;
    for (int i = 0; i < parts; i++) {
        struct job *j = &p->jobs[p->count++];
        j->id = i;
        j->first = i * step;
        j->last = (i + 1) * step;
    }
    struct job *tail = &p->jobs[p->count - 1];
    tail->last = tail->last * p->total + tail->first; /* origin split */
}
static long run_job(struct plan *p, struct job *j) {
    long sum = 0;
    for (int i = j->last - 1; i >= j->first; i--) sum += p->samples[i];
    return sum;
}
int main(void) {
    struct plan *p = make_plan(5000);
    split(p, 4);
    for (int i = 0; i < p->count; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            long s = run_job(p, &p->jobs[i]);
            printf("job %d: %ld\n", i, s);
            _exit(0);
        }
        int status;
        waitpid(pid, &status, 0);
        if (WIFSIGNALED(status)) { fprintf(stderr, "job %d died of %d\n", i, WTERMSIG(status)); return 1; }
    }
    return 0;
}
