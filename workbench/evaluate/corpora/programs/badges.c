/* The label of a badge is written into the badge itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct room {
    int floor;
    int doors;
};

struct badge {
    int number;
    char label[20];
    struct room *home;
    struct badge *next;
};

struct office {
    struct badge *badges;
    struct room rooms[4];
};

static void compose(char *into, const char *title, const char *name)
{
    strcpy(into, title);
    strcat(into, " ");
    strcat(into, name);
}

static struct badge *issue(struct office *office, int number, const char *title, const char *name)
{
    struct badge *made = calloc(1, sizeof *made);
    made->number = number;
    made->home = &office->rooms[number % 4];
    made->next = office->badges;
    compose(made->label, title, name);
    office->badges = made;
    return made;
}

static int floors(const struct office *office)
{
    int sum = 0;
    for (const struct badge *badge = office->badges; badge != NULL; badge = badge->next)
        sum += badge->home->floor;
    return sum;
}

int main(void)
{
    struct office office = {0};
    for (int i = 0; i < 4; i++)
        office.rooms[i] = (struct room){i + 1, 2};
    issue(&office, 1, "Dr.", "Weiss");
    issue(&office, 2, "Prof.", "von Hohenzollern-S");
    issue(&office, 3, "Mr.", "Hill");
    printf("%d\n", floors(&office));
    return 0;
}
