/* A table of mounts. One asks for a driver that nobody has; another one is detached. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum state { IDLE, ATTACHED, DETACHED };
struct driver { char name[12]; int block; struct driver *next; };
struct mount { struct driver *driver; enum state state; int since; struct mount *next; };
struct table { struct mount *first; struct driver *drivers; int clock; };

static void driver_add(struct table *t, const char *name, int block)
{
    struct driver *d = calloc(1, sizeof *d);
    snprintf(d->name, sizeof d->name, "%s", name);
    d->block = block;
    d->next = t->drivers;
    t->drivers = d;
}

static struct driver *driver_of(struct table *t, const char *name)
{
    struct driver *d = t->drivers;
    while (d != NULL && strcmp(d->name, name) != 0)
        d = d->next;
    return d;
}

static struct mount *mount_new(struct table *t)
{
    struct mount *m = calloc(1, sizeof *m);
    m->next = t->first;
    t->first = m;
    return m;
}

static void mount_attach(struct table *t, struct mount *m, const char *name)
{
    struct driver *found = driver_of(t, name);
    m->driver = found;
    m->state = ATTACHED;
    m->since = ++t->clock;
}

static void mount_detach(struct mount *m)
{
    m->driver = NULL;
    m->state = DETACHED;
}

static int mount_blocks(const struct mount *m, int bytes)
{
    return bytes / m->driver->block;
}

static int table_blocks(const struct table *t, int bytes)
{
    int sum = 0;
    for (const struct mount *m = t->first; m != NULL; m = m->next)
        if (m->state == ATTACHED)
            sum += mount_blocks(m, bytes);
    return sum;
}

int main(void)
{
    static struct table table;
    driver_add(&table, "ext", 4096);
    driver_add(&table, "fat", 512);
    for (int i = 0; i < 4; i++)
        mount_attach(&table, mount_new(&table), i % 2 ? "ext" : "fat");
    printf("%d\n", table_blocks(&table, 65536));
    mount_attach(&table, table.first->next->next, "fat32");
    mount_detach(table.first->next);
    printf("%d\n", table_blocks(&table, 65536));
    return 0;
}
