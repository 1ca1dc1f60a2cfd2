/* A table of sessions, reused: a slot is wiped when its user logs out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 6

struct theme {
  int colours;
  char name[12];
};

struct session {
  char user[16];
  int id;
  int open;
  struct theme *theme;
  long last_seen;
};

struct table {
  struct session slots[SLOTS];
  int used;
  long clock;
};

struct screen {
  struct session *owner;
  int rows;
  int drawn;
};

static struct theme dark = {16, "dark"};
static struct theme light = {64, "light"};

static struct session *session_open(struct table *table, const char *user, int id) {
  for (int i = 0; i < SLOTS; i++) {
    struct session *slot = &table->slots[i];
    if (!slot->open) {
      snprintf(slot->user, sizeof slot->user, "%s", user);
      slot->id = id;
      slot->open = 1;
      slot->theme = id % 2 ? &dark : &light;
      slot->last_seen = table->clock;
      table->used++;
      return slot;
    }
  }
  return NULL;
}

static void session_wipe(struct session *session) {
  memset(session, 0, sizeof *session);
}

static void table_expire(struct table *table, long before) {
  for (int i = 0; i < SLOTS; i++) {
    struct session *slot = &table->slots[i];
    if (slot->open && slot->last_seen < before) {
      session_wipe(slot);
      table->used--;
    }
  }
}

__attribute__((noinline)) static int screen_draw(struct screen *screen) {
  struct theme *theme = screen->owner->theme;
  screen->drawn++;
  return theme->colours * screen->rows;
}

static void touch(struct table *table, struct session *session) {
  session->last_seen = ++table->clock;
}

int main(void) {
  static struct table table;
  struct screen screens[3];
  const char *users[] = {"ada", "grace", "edsger"};
  for (int i = 0; i < 3; i++) {
    screens[i].owner = session_open(&table, users[i], 100 + i);
    screens[i].rows = 24 + i;
    screens[i].drawn = 0;
  }
  long total = 0;
  for (int round = 0; round < 5; round++) {
    touch(&table, screens[0].owner);
    touch(&table, screens[2].owner);
    if (round == 3)
      table_expire(&table, table.clock - 2);
    for (int i = 0; i < 3; i++)
      total += screen_draw(&screens[i]);
  }
  printf("%ld\n", total);
  return 0;
}
