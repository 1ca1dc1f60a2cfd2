/* A writer that runs over the end of its block and hits the next one's header. flags: -g -O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct field {
    char name[16];
    unsigned value;
};

struct packet {
    unsigned char *bytes;
    size_t size;
    size_t used;
};

static struct packet *new_packet(size_t size) {
    struct packet *packet = malloc(sizeof *packet);
    packet->bytes = malloc(size);
    packet->size = size;
    packet->used = 0;
    return packet;
}

static void put_byte(struct packet *packet, unsigned char byte) {
    packet->bytes[packet->used++] = byte; /* origin put_byte */
}

static void put_text(struct packet *packet, const char *text) {
    put_byte(packet, (unsigned char)strlen(text));
    while (*text != '\0')
        put_byte(packet, (unsigned char)*text++);
}

static void put_number(struct packet *packet, unsigned value) {
    for (int shift = 24; shift >= 0; shift -= 8)
        put_byte(packet, (unsigned char)(value >> shift));
}

static size_t packed_size(const struct field *fields, int count) {
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += strlen(fields[i].name) + sizeof fields[i].value;
    return size;
}

static struct packet *pack(const struct field *fields, int count) {
    struct packet *packet = new_packet(packed_size(fields, count));
    for (int i = 0; i < count; i++) {
        put_text(packet, fields[i].name);
        put_number(packet, fields[i].value);
    }
    return packet;
}

static void free_packet(struct packet *packet) {
    free(packet->bytes);
    free(packet);
}

int main(void) {
    struct field fields[10];
    for (int i = 0; i < 10; i++) {
        snprintf(fields[i].name, sizeof fields[i].name, "field-%02d", i);
        fields[i].value = 0x01010101u * (unsigned)i;
    }
    fields[9].name[6] = 'a';
    struct packet *one = pack(fields, 9);
    struct packet *two = pack(fields, 10);
    printf("%zu %zu\n", one->used, two->used);
    free_packet(two);
    free_packet(one);
    char *again = malloc(5000);
    free(again);
    return 0;
}
