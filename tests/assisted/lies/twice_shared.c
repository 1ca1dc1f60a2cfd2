/* attack: flags=-O0; cat=double-free,use-after-free; values=reply_done:r->text,reply_done:r; */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct reply { char *text; int code; };
struct cache { char *last; int hits; };
static void cache_drop(struct cache *c) { if (c->hits > 100) { free(c->last); c->last = NULL; } }
static void reply_fill(struct cache *c, struct reply *r) {
  r->code = 200;
  r->text = c->last; /*!*/
  c->hits++;
}
static void reply_done(struct reply *r) {
  free(r->text); /*!*/
}
static void serve(struct cache *c) {
  struct reply r = {0};
  reply_fill(c, &r);
  printf("%s\n", r.text);
  reply_done(&r);
}
int main(void) {
  struct cache c = {strdup("hello there"), 0};
  serve(&c);
  cache_drop(&c);
  serve(&c);
  return 0;
}
