/* Each locker has a tag of its own; keys hang on lockers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct key {
    long teeth;
};

struct locker {
    struct key *key;
    char *tag;
    long opened;
};

static char *tag_new(const char *prefix, int number)
{
    size_t length = strlen(prefix) + 2;
    char *tag = malloc(length);
    sprintf(tag, "%s-%06d-reserved-for-members-of-the-club", prefix, number);
    return tag;
}

static struct locker *locker_new(int number)
{
    static const char *const halls[] = {"north-hall-a", "south-hall-b"};
    struct locker *made = malloc(sizeof *made);
    char *tag = malloc(24);
    made->key = malloc(sizeof *made->key);
    made->key->teeth = number;
    made->opened = 0;
    snprintf(tag, 24, "%s", halls[number % 2]);
    made->tag = tag;
    return made;
}

__attribute__((noinline)) static long teeth(const struct locker *locker)
{
    return locker->key->teeth + locker->opened;
}

int main(void)
{
    char *spare = strdup("the spare one");
    struct locker *lockers[3];
    lockers[0] = locker_new(1);
    puts(spare);
    free(spare);
    char *extra = tag_new("west", 12);
    lockers[1] = locker_new(2);
    lockers[2] = locker_new(3);
    long sum = 0;
    puts(extra);
    for (int i = 0; i < 3; i++)
        sum += teeth(lockers[i]);
    printf("%ld\n", sum);
    return 0;
}
