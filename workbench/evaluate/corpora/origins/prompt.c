/* A program that talks to its terminal and keeps the last line too long. flags: -g -O1 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct history {
    char *lines[4];
    int next;
    const char *shown;
};

__attribute__((noinline)) static void remember(struct history *history, const char *line) {
    int at = history->next++ % 4;
    free(history->lines[at]); /* origin remember */
    history->lines[at] = strdup(line);
}

__attribute__((noinline)) static void show(struct history *history, int at) {
    history->shown = history->lines[at % 4];
}

__attribute__((noinline)) static int width(const struct history *history) {
    const char *const *words = (const char *const *)history->shown;
    return words[0][0];
}

__attribute__((noinline)) static void read_all(struct history *history) {
    char line[128];
    while (fgets(line, sizeof line, stdin) != NULL)
        remember(history, line);
}

int main(void) {
    struct history history = {{0}, 0, NULL};
    if (!isatty(0))
        return 3;
    printf("type> ");
    fflush(stdout);
    read_all(&history);
    const char *self = "self";
    for (int i = 0; i < 4; i++) {
        char line[64];
        memset(line, 'a' + i, sizeof line - 1);
        line[63] = '\0';
        memcpy(line, &self, sizeof self);
        history.next = i;
        free(history.lines[i]);
        history.lines[i] = malloc(sizeof line);
        memcpy(history.lines[i], line, sizeof line);
    }
    show(&history, 1);
    int before = width(&history);
    history.next = 1;
    remember(&history, "a line that takes the place of an older one, just as long as it");
    printf("%d\n", before + width(&history));
    return 0;
}
