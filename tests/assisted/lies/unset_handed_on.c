/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct target {
  char host[24];
  int port;
  char *token;
  struct target *next;
};

struct settings {
  struct target *targets;
  int count;
};

static char *unquote(const char *text) {
  size_t length = strlen(text);
  char *plain = malloc(length + 32);
  if (plain == NULL)
    exit(1);
  memset(plain, '#', length + 32);
  size_t used = 0;
  for (size_t i = 0; i < length; i++)
    if (text[i] != '"')
      plain[used++] = text[i];
  plain[used] = 0;
  return plain;
}

static struct target *target_new(struct settings *settings) {
  struct target *target = malloc(sizeof *target);
  if (target == NULL)
    exit(1);
  strcpy(target->host, "localhost");
  target->port = 9100;
  target->next = settings->targets;
  settings->targets = target;
  settings->count++;
  return target;
}

struct out { char *at; int room; };
static void out_put(struct out *out, const char *text) {
  while (*text && out->room-- > 0)
    *out->at++ = *text++; /*!*/
}

static void target_set(struct target *target, const char *key, const char *value) {
  char *plain = unquote(value);
  if (strcmp(key, "host") == 0) {
    struct out out = {target->host, 64}; out_put(&out, plain); /*!*/
  } else if (strcmp(key, "port") == 0) {
    target->port = atoi(plain);
  } else if (strcmp(key, "token") == 0) {
    target->token = plain;
    return;
  }
  free(plain);
}

static void settings_read(struct settings *settings, const char *text) {
  struct target *target = NULL;
  char line[80];
  while (*text) {
    size_t length = strcspn(text, "\n");
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    text += length + (text[length] == '\n');
    char *equals = strchr(line, '=');
    if (line[0] == '[') {
      target = target_new(settings);
    } else if (equals != NULL && target != NULL) {
      *equals = 0;
      target_set(target, line, equals + 1);
    }
  }
}

static unsigned fingerprint(const char *token) {
  unsigned sum = 7;
  for (; *token; token++)
    sum = sum * 31 + (unsigned char)*token;
  return sum;
}

static unsigned settings_hash(const struct settings *settings) {
  unsigned sum = 0;
  for (const struct target *target = settings->targets; target; target = target->next)
    if (target->token != NULL)
      sum ^= fingerprint(target->token) + target->port;
  return sum;
}

int main(void) {
  struct settings settings = {0};
  settings_read(&settings, "[a]\ntoken=\"first\"\nhost=\"node-a\"\nport=\"9101\"\n"
                           "[b]\ntoken=\"second\"\nhost=\"node-b.rack-7.example.of.a.long.name.here.it.is\"\n");
  printf("%d %08x\n", settings.count, settings_hash(&settings));
  return 0;
}
