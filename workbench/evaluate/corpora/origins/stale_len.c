/* More is cut off than there is: a length below zero bounds a loop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct text { char *data; size_t length, room; };
__attribute__((noinline)) static void text_add(struct text *t, const char *s)
{
    size_t n = strlen(s);
    if (t->length + n + 1 > t->room) {
        t->room = (t->length + n + 1) * 2;
        t->data = realloc(t->data, t->room);
    }
    memcpy(t->data + t->length, s, n + 1);
    t->length += n;
}
__attribute__((noinline)) static void text_cut(struct text *t, size_t n)
{
    t->length -= n; /* origin text_cut */
    t->data[t->length > t->room ? 0 : t->length] = 0;
}
__attribute__((noinline)) static long checksum(const struct text *t)
{
    long sum = 0;
    for (size_t i = 0; i < t->length; i++)
        sum = sum * 31 + t->data[i];
    return sum;
}
int main(void)
{
    struct text t = {0};
    text_add(&t, "hello");
    text_add(&t, ", world");
    printf("%ld\n", checksum(&t));
    text_cut(&t, 7);
    text_cut(&t, 6);
    printf("%ld\n", checksum(&t));
    return 0;
}
