/* attack: flags=-O0; cat=use-after-free,wild-pointer,corrupted-pointer; values=peek:it,peek:&it->name; */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { char *name; long n[5]; };
static struct item *item_new(const char *n) { struct item *it = malloc(sizeof *it); it->name = strdup(n); return it; }
static void item_drop(struct item *it) {
  free(it->name);
  free(it);
}
static void text_drop(char **text) { free(*text); /*!*/ }
static void paint(char *text) { memset(text, 's', 47); }
static long peek(struct item *it) { return it->name[0]; }
int main(void) {
  struct item *old = item_new("pear");
  item_drop(old);
  char *sign = malloc(48);
  sign[0] = 0;
  text_drop(&sign);
  struct item *plum = item_new("plum");
  paint(sign);
  printf("%ld\n", peek(plum));
  return 0;
}
