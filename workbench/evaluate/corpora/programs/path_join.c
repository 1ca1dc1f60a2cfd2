#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static char *join(const char *folder, const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name));

    strcpy(path, folder);
    strcat(path, "/");
    strcat(path, name);
    return path;
}

__attribute__((noinline)) static void forget(char *path)
{
    free(path);
}

int main(void)
{
    char *paths[3];

    for (int at = 0; at < 3; at++)
        paths[at] = join("/srv/data/archive/2024/q", "report_draft.csv");
    forget(paths[1]);
    paths[1] = join("/srv/data/archive/2024/q", "report_final.csv");
    for (int at = 0; at < 3; at++)
        forget(paths[at]);
    puts("done");
    return 0;
}
