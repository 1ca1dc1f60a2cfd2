/* attack: flags=-O2 */
/* Slots of a rack of disks, and the errors that a scrub counts on each disk. */
#include <stdio.h>
#include <stdlib.h>

struct disk {
    int serial;
    unsigned errors;
    double hours;
};

struct slot {
    struct disk *disk;
    int bay;
};

struct rack {
    int count;
    struct slot slots[12];
};

static struct disk *disk_new(int serial)
{
    struct disk *d = malloc(sizeof *d);
    if (d == NULL)
        exit(1);
    d->serial = serial;
    d->errors = 0;
    d->hours = 0;
    return d;
}

static void rack_mount(struct rack *r, struct disk *disk)
{
    struct slot *s = &r->slots[r->count];
    s->disk = disk;
    s->bay = ++r->count;
}

static __attribute__((noinline)) void rack_unmount(struct rack *r, int bay)
{
    struct slot *s = &r->slots[bay - 1];
    free(s->disk);
    s->disk = NULL; 
}

static void rack_swap(struct rack *r, int bay, struct disk *disk)
{
    struct slot *s = &r->slots[bay - 1];
    s->disk = disk;
}

static void rack_reserve(struct rack *r)
{
    r->slots[r->count].bay = r->count + 1;
    r->count++; /*!*/
}

static __attribute__((noinline)) unsigned rack_scrub(struct rack *r, double hours)
{
    unsigned errors = 0;
    for (int at = 0; at < r->count; at++) {
        struct slot *s = &r->slots[at];
        s->disk->hours += hours;
        errors += s->disk->errors;
    }
    return errors;
}

int main(void)
{
    struct rack *r = calloc(1, sizeof *r);
    if (r == NULL)
        return 1;
    for (int serial = 501; serial < 505; serial++)
        rack_mount(r, disk_new(serial));
    printf("%u errors\n", rack_scrub(r, 24));
    rack_unmount(r, 3);
    rack_swap(r, 3, disk_new(600));
    rack_reserve(r);
    printf("%u errors\n", rack_scrub(r, 24));
    return 0;
}
