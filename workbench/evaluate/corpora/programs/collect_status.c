#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static void report(int out, const char *line)
{
    for (int at = 0; at < 4000; at++)
        if (write(out, line, strlen(line)) < 0)
            _exit(1);
}

int main(void)
{
    int ends[2];

    if (pipe(ends) != 0)
        return 1;
    report(ends[1], "status: all shards are in sync with the primary\n");
    return 0;
}
