#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct journal {
    char *text;
    size_t used, room;
};

__attribute__((noinline)) static void append(struct journal *journal, const char *line)
{
    memcpy(journal->text + journal->used, line, strlen(line));
    journal->used += strlen(line);
}

__attribute__((noinline)) static char *snapshot(const struct journal *journal)
{
    char *copy = malloc(4096);

    memcpy(copy, journal->text, journal->room);
    return copy;
}

int main(void)
{
    struct journal journal = {malloc(120), 0, 120};

    for (int line = 0; line < 6; line++)
        append(&journal, "2024-05-01 12:00:00 worker started\n");
    puts(snapshot(&journal));
    return 0;
}
