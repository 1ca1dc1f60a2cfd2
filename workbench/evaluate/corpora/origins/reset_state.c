/* A field that a reset clears while a callback still needs it. flags: -g -O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct codec {
    const char *name;
    int (*decode)(const unsigned char *, size_t);
};

struct stream {
    struct codec *codec;
    unsigned char data[64];
    size_t filled;
    int errors;
};

static int sum_bytes(const unsigned char *data, size_t size) {
    int sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += data[i];
    return sum;
}

static struct codec codecs[] = {{"sum", sum_bytes}};

static void attach(struct stream *stream, struct codec *codec) {
    stream->codec = codec;
}

static void reset(struct stream *stream) {
    stream->filled = 0;
    stream->errors = 0;
    stream->codec = NULL; /* origin reset */
}

static void fill(struct stream *stream, int seed) {
    for (size_t i = 0; i < sizeof stream->data; i++)
        stream->data[i] = (unsigned char)(seed + (int)i);
    stream->filled = sizeof stream->data;
}

static int check(struct stream *stream, int round) {
    if (round % 5 == 4)
        stream->errors++;
    if (stream->errors > 1)
        reset(stream);
    return stream->errors;
}

static int process(struct stream *stream) {
    return stream->codec->decode(stream->data, stream->filled);
}

int main(void) {
    struct stream *stream = calloc(1, sizeof *stream);
    attach(stream, &codecs[0]);
    int total = 0;
    for (int round = 0; round < 20; round++) {
        fill(stream, round);
        check(stream, round);
        total += process(stream);
    }
    printf("%d\n", total);
    free(stream);
    return 0;
}
