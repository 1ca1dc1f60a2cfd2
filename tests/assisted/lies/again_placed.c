/* attack: flags=-O0; cat=use-after-free,wild-pointer; values=area:s,area:&s->label; */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct shape { char *label; long w, h; struct shape *next; };
static void shape_free(struct shape *s) { free(s); }
static struct shape *shape_at(char *room, const char *label) {
  struct shape *s = (struct shape *)room;
  s->label = (char *)label; s->w = 1; s->h = 2; s->next = NULL;
  return s;
}
static long area(struct shape *s) { return s->w * s->h + strlen(s->label); }
int main(void) {
  struct shape *first = malloc(sizeof *first);
  first->label = "first"; first->next = NULL; first->w = first->h = 1;
  printf("%ld\n", area(first));
  shape_free(first);
  char *room = malloc(sizeof(struct shape));
  struct shape *s = shape_at(room, "second");
  memset(room, 'x', 8); /*!*/
  printf("%ld\n", area(s));
  return 0;
}
