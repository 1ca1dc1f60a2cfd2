/* Short texts are kept in the message, long ones outside of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { INLINE, OUTSIDE };

struct message {
    enum kind kind;
    unsigned length;
    union {
        char text[16];
        struct {
            const char *start;
            size_t room;
        } far;
    } body;
};

struct box {
    struct message items[8];
    unsigned count;
};

static void put(struct box *box, const char *text)
{
    struct message *made = &box->items[box->count++];
    made->length = (unsigned)strlen(text);
    if (made->length < sizeof made->body.text) {
        made->kind = INLINE;
        memcpy(made->body.text, text, made->length + 1);
        return;
    }
    made->kind = OUTSIDE;
    made->body.far.start = strdup(text);
    made->body.far.room = made->length + 1;
}

static void mark_old(struct box *box, unsigned from)
{
    for (unsigned i = from; i < box->count; i++)
        box->items[i].kind = OUTSIDE;
}

__attribute__((noinline)) static unsigned checksum(const struct message *message)
{
    const char *text = message->kind == INLINE ? message->body.text : message->body.far.start;
    unsigned sum = 0;
    for (unsigned i = 0; i < message->length; i++)
        sum = sum * 31 + (unsigned char)text[i];
    return sum;
}

int main(void)
{
    struct box *box = calloc(1, sizeof *box);
    put(box, "a long message that lies outside");
    put(box, "hello, world!");
    put(box, "another long message, and so on");
    mark_old(box, 1);
    unsigned sum = 0;
    for (unsigned i = 0; i < box->count; i++)
        sum ^= checksum(&box->items[i]);
    printf("%u\n", sum);
    return 0;
}
