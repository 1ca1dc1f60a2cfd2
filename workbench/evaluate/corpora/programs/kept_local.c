#include <stdio.h>
#include <string.h>
struct unit { const char *name; int size; };
struct meter { const struct unit *unit; long value; };
struct panel { struct meter *shown; };
static struct unit volt = {"volt", 1};
__attribute__((noinline)) static void pick(struct panel *panel, long value)
{
    char label[64];
    struct meter chosen = {&volt, value};
    snprintf(label, sizeof label, "meter %ld", value);
    puts(label);
    struct meter *volatile keep = &chosen;
    panel->shown = keep;
}
__attribute__((noinline)) static long show(struct panel *panel)
{
    char line[160];
    memset(line, '-', sizeof line);
    line[sizeof line - 1] = 0;
    puts(line);
    return panel->shown->unit->size + panel->shown->value + line[3];
}
int main(void)
{
    struct panel panel = {0};
    pick(&panel, 12);
    printf("%ld\n", show(&panel));
    return 0;
}
