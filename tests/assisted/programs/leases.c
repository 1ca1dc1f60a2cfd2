#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct lease { char *host; long until, hits; struct lease *next; };
struct table { struct lease *first, *recent; long served; };
static void lease_add(struct table *table, const char *host, long until) {
  struct lease *lease = calloc(1, sizeof *lease);
  lease->host = strdup(host);
  lease->until = until;
  lease->next = table->first;
  table->first = lease;
  table->recent = lease;
}
static void expire(struct table *table, long now) {
  struct lease **at = &table->first;
  while (*at) {
    struct lease *lease = *at;
    if (lease->until > now) { at = &lease->next; continue; }
    *at = lease->next;
    free(lease->host);
    free(lease);
  }
}
static void table_close(struct table *table) {
  for (struct lease *next, *old = table->first; old; old = next) {
    next = old->next;
    free(old->host);
    free(old);
  }
}
static int renew(struct table *table) {
  table->served++;
  return table->recent->host[0];
}
static int report(struct table *table, const char *title) {
  char *line = malloc(40);
  memset(line, '-', 39);
  line[39] = 0;
  strncpy(line, title, strlen(title));
  int first = renew(table);
  printf("%s %c\n", line, first);
  free(line);
  return first;
}
int main(void) {
  struct table table = {0};
  lease_add(&table, "printer", 90);
  lease_add(&table, "camera", 70);
  lease_add(&table, "laptop", 30);
  expire(&table, 50);
  int first = report(&table, "leases at fifty");
  table_close(&table);
  return first;
}
