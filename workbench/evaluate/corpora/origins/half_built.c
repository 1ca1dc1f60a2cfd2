/* A structure one member of which is set on one way only. flags: -g -O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    int id;
    int kind;
    char *label;
    struct job *parent;
};

struct queue {
    struct job *items[16];
    int count;
};

static char *copy(const char *text) {
    char *made = malloc(strlen(text) + 1);
    return strcpy(made, text);
}

static struct job *new_job(int id, int kind) {
    struct job *job = malloc(sizeof *job); /* origin new_job */
    job->id = id;
    job->kind = kind;
    job->parent = NULL;
    if (kind == 1)
        job->label = copy("named");
    return job;
}

static void push(struct queue *queue, struct job *job) {
    queue->items[queue->count++] = job;
}

static void dirty(void) {
    char *junk[6];
    for (int i = 0; i < 6; i++) {
        junk[i] = malloc(sizeof(struct job));
        memset(junk[i], 0x5a, sizeof(struct job));
    }
    for (int i = 0; i < 6; i++)
        free(junk[i]);
}

static size_t label_length(const struct job *job) {
    return strlen(job->label);
}

static size_t all_lengths(const struct queue *queue) {
    size_t total = 0;
    for (int i = 0; i < queue->count; i++) {
        const struct job *job = queue->items[i];
        total += job->label[0] != '\0' ? label_length(job) : 0;
    }
    return total;
}

int main(void) {
    struct queue queue = {{0}, 0};
    dirty();
    push(&queue, new_job(1, 1));
    push(&queue, new_job(2, 1));
    push(&queue, new_job(3, 2));
    printf("%zu\n", all_lengths(&queue));
    return 0;
}
