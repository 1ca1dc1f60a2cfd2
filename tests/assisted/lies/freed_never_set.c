/* attack: flags=-O2; what a parcel leads to was never set, nor released */
/* Parcels of a depot; fragile ones go by hand and have no label printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct label {
    char street[40];
    int zip;
};

struct parcel {
    int number;
    int fragile;
    double weight;
    struct label *label;
    struct parcel *next;
};

struct depot {
    struct parcel *first;
    int next_number;
    double load;
};

static struct label *label_new(const char *street, int zip)
{
    struct label *l = malloc(sizeof *l);
    if (l == NULL)
        exit(1);
    snprintf(l->street, sizeof l->street, "%s", street);
    l->zip = zip;
    return l;
}

static struct parcel *parcel_new(struct depot *d, double weight, int fragile, const char *street,
                                 int zip)
{
    struct parcel *p = malloc(sizeof *p); /*!*/
    if (p == NULL)
        exit(1);
    p->number = d->next_number++;
    p->weight = weight;
    p->fragile = fragile;
    if (!fragile)
        p->label = label_new(street, zip);
    p->next = d->first;
    d->first = p;
    d->load += weight;
    return p;
}

static void parcel_free(struct parcel *p)
{
    if (!p->fragile)
        free(p->label);
    free(p);
}

static void depot_send(struct depot *d)
{
    while (d->first != NULL) {
        struct parcel *p = d->first;
        d->first = p->next;
        d->load -= p->weight;
        parcel_free(p);
    }
}

static int depot_zip(const struct depot *d, int zip)
{
    int count = 0;
    for (const struct parcel *p = d->first; p != NULL; p = p->next)
        if (p->label->zip == zip)
            count++;
    return count;
}

static void remember(char *note, const char *text)
{
    size_t n = strlen(text);
    char *copy = malloc(40);
    memset(copy, '-', 40);
    copy[39] = '\0';
    memcpy(copy, text, n < 39 ? n : 39);
    note[0] = copy[0];
    puts(copy);
    free(copy);
}

int main(void)
{
    struct depot d = {NULL, 1, 0};
    char note[2] = "";
    parcel_new(&d, 2.5, 0, "Mill Lane 4", 1204);
    parcel_new(&d, 0.5, 0, "High Street 12", 1206);
    printf("%d for 1204, load %g\n", depot_zip(&d, 1204), d.load);
    depot_send(&d);
    remember(note, "monday is over");
    parcel_new(&d, 1.5, 0, "Mill Lane 9", 1204);
    remember(note, "tuesday");
    parcel_new(&d, 4, 1, "Church Row 1", 1206);
    parcel_new(&d, 3, 0, "Bridge Road 77", 1204);
    printf("%d for 1204, load %g\n", depot_zip(&d, 1204), d.load);
    depot_send(&d);
    return 0;
}
