/* The child of a fork fails, not the parent. flags: -g -O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct task {
    char *input;
    int weight;
};

struct plan {
    struct task *tasks;
    int count;
};

static void plan_fill(struct plan *plan, int count) {
    plan->tasks = calloc((size_t)count, sizeof *plan->tasks);
    plan->count = count;
    for (int i = 0; i < count; i++) {
        plan->tasks[i].input = strdup("input");
        plan->tasks[i].weight = i;
    }
}

static void plan_strip(struct plan *plan, int below) {
    for (int i = 0; i < plan->count; i++) {
        if (plan->tasks[i].weight < below) {
            free(plan->tasks[i].input);
            plan->tasks[i].input = NULL; /* origin plan_strip */
        }
    }
}

static int run_task(const struct task *task) {
    int sum = 0;
    for (const char *at = task->input; *at != '\0'; at++)
        sum += *at;
    return sum * task->weight;
}

static int work(const struct plan *plan) {
    int total = 0;
    for (int i = 0; i < plan->count; i++)
        total += run_task(&plan->tasks[i]);
    return total;
}

int main(void) {
    struct plan plan;
    plan_fill(&plan, 12);
    pid_t child = fork();
    if (child == 0) {
        int before = work(&plan);
        plan_strip(&plan, 3);
        _exit((before + work(&plan)) & 63);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("child ended with %d\n", status);
    return 0;
}
