#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct session { long opened; char *key, *user; };
static int login(struct session *s, const char *user, const char *pass) {
  s->user = strdup(user);
  s->key = malloc(24);
  strcpy(s->key, "first");
  if (strlen(pass) < 4) {
    free(s->key);  // no good
    return -1;
  }
  return 0;
}
static void rekey(struct session *s, const char *key) {
  char *old = s->user;
  printf("new key of %s\n", old);
  free(s->key);
  s->key = malloc(24);
  strcpy(s->key, key);
}
static void session_end(struct session *s) {
  free(s->key);
  free(s->user);
  free(s);
}
int main(void) {
  struct session *ann = calloc(1, sizeof *ann), *bob = calloc(1, sizeof *bob);
  if (login(ann, "ann", "longer") == 0) rekey(ann, "second");
  login(bob, "bob", "abc");
  session_end(ann);
  session_end(bob);
  return 0;
}
