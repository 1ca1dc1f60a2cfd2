#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct player { char name[20]; int score; int team; };
struct roster { struct player **slots; int count; int room; };

static void roster_reserve(struct roster *r, int room)
{
    if (room <= r->room)
        return;
    r->slots = realloc(r->slots, room * sizeof *r->slots);
    r->room = room;
}

static void roster_push(struct roster *r, struct player *p)
{
    if (r->count == r->room)
        roster_reserve(r, r->room ? r->room * 2 : 4);
    r->slots[r->count++] = p;
}

static void roster_resize(struct roster *r, int count)
{
    roster_reserve(r, count);
    r->count = count;
}

static struct player *player_new(const char *name, int team)
{
    struct player *p = malloc(sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", name);
    p->score = 10 * team;
    p->team = team;
    return p;
}

static int team_score(const struct roster *r, int team)
{
    int sum = 0;
    for (int i = 0; i < r->count; i++) {
        const struct player *p = r->slots[i];
        if (p->team == team)
            sum += p->score;
    }
    return sum;
}

int main(void)
{
    static struct roster r;
    char *notes = malloc(200);
    memset(notes, 'x', 199);
    notes[199] = 0;
    for (int i = 0; i < 6; i++) {
        char name[20];
        snprintf(name, sizeof name, "player %d", i);
        roster_push(&r, player_new(name, i % 2));
    }
    printf("%d %zu\n", team_score(&r, 1), strlen(notes));
    free(notes);
    roster_resize(&r, 24);
    printf("%d\n", team_score(&r, 1));
    return 0;
}
