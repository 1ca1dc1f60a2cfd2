/* attack: flags=-O0 */
/* Beds of a greenhouse, what each is to be watered to, and the pump. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEDS 6

struct pump {
    int litres;
    int running;
};

struct house {
    char name[16];
    double moisture[BEDS];
    double targets[BEDS];
    struct pump *pump;
    int rounds;
};

static struct house *house_new(const char *name, struct pump *pump)
{
    struct house *h = calloc(1, sizeof *h);
    if (h == NULL)
        abort();
    snprintf(h->name, sizeof h->name, "%s", name);
    h->pump = pump;
    return h;
}

static void house_measure(struct house *h, const double *read)
{
    for (int bed = 0; bed < BEDS; bed++)
        h->moisture[bed] = read[bed];
}

static void house_reset(struct house *h, double target)
{
    for (int bed = 0; bed <= BEDS; bed++) /*!*/
        h->targets[bed] = target; /*!*/
}

static int house_water(struct house *h)
{
    int watered = 0;
    for (int bed = 0; bed < BEDS; bed++) {
        if (h->moisture[bed] >= h->targets[bed])
            continue;
        h->pump->litres += (int)((h->targets[bed] - h->moisture[bed]) * 10);
        h->pump->running = 1;
        watered++;
    }
    h->rounds++;
    return watered;
}

int main(void)
{
    struct pump pump = {0, 0};
    const double morning[BEDS] = {0.2, 0.4, 0.3, 0.6, 0.5, 0.1};
    struct house *h = house_new("north", &pump);
    house_measure(h, morning);
    printf("%d watered\n", house_water(h));
    house_reset(h, 0.45);
    printf("%d watered\n", house_water(h));
    printf("%d litres in %d rounds\n", pump.litres, h->rounds);
    free(h);
    return 0;
}
