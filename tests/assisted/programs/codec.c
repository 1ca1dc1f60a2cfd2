#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct code { uint16_t bits; uint8_t length; };
struct table { struct code *codes; int size; uint8_t widths[16]; };
struct decoder { struct table *table; const uint8_t *input; size_t left; long emitted; };
static struct table *table_new(int symbols) {
  struct table *t = calloc(1, sizeof *t);
  t->size = symbols;
  t->codes = calloc((size_t)symbols, sizeof *t->codes);
  for (int i = 0; i < symbols; i++) { t->codes[i].bits = (uint16_t)i; t->codes[i].length = 4; }
  return t;
}
static long symbol_at(struct decoder *d) {
  int32_t high = d->input[0], low = d->input[1];
  d->input += 2; d->left -= 2;
  return (int32_t)((high << 24) | (low << 16));
}
static int decode_one(struct decoder *d) {
  long symbol = symbol_at(d);
  int bits = d->table->codes[symbol].bits;
  d->emitted++;
  return bits;
}
static int decode_all(struct decoder *d) {
  int sum = 0;
  while (d->left >= 2) sum += decode_one(d);
  return sum;
}
int main(void) {
  static const uint8_t stream[] = {0, 0, 0, 0, 0x40, 0x21};
  struct decoder d = {table_new(32), stream, sizeof stream, 0};
  printf("%d\n", decode_all(&d));
  return 0;
}
