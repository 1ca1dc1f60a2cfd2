#include <stdio.h>
#include <string.h>

struct packet {
    unsigned length;
    unsigned char bytes[60];
};

static unsigned char payload[2048];

__attribute__((noinline)) static size_t unpack(const struct packet *packet)
{
    size_t length = packet->length - 8;

    memcpy(payload, packet->bytes + 8, length);
    return length;
}

int main(void)
{
    struct packet good = {40, {1}}, cut = {3, {1}};

    printf("%zu\n", unpack(&good));
    printf("%zu\n", unpack(&cut));
    return 0;
}
