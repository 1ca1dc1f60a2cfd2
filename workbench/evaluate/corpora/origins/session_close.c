/* Two owners of one buffer, both of which free it. flags: -g -O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    char *data;
    size_t used;
};

struct session {
    int id;
    struct buffer *output;
    char *name;
};

struct log {
    struct buffer *pending[8];
    int count;
};

static struct buffer *new_buffer(size_t size) {
    struct buffer *buffer = calloc(1, sizeof *buffer);
    buffer->data = malloc(size);
    return buffer;
}

static void release(struct buffer *buffer) {
    free(buffer->data);
    free(buffer); /* origin release */
}

static void append(struct buffer *buffer, const char *text) {
    size_t length = strlen(text);
    memcpy(buffer->data + buffer->used, text, length);
    buffer->used += length;
}

static void queue(struct log *log, struct session *session) {
    log->pending[log->count++] = session->output;
}

static void close_session(struct session *session) {
    append(session->output, "bye\n");
    release(session->output);
    free(session->name);
    session->name = NULL;
}

static void flush(struct log *log) {
    for (int i = 0; i < log->count; i++) {
        struct buffer *buffer = log->pending[i];
        release(buffer);
    }
    log->count = 0;
}

int main(void) {
    struct log log = {{0}, 0};
    struct session first = {1, new_buffer(200), strdup("first")};
    struct session second = {2, new_buffer(300), strdup("second")};
    append(first.output, "hello\n");
    append(second.output, "hello\n");
    queue(&log, &first);
    queue(&log, &second);
    close_session(&second);
    flush(&log);
    printf("%d sessions closed\n", 2);
    return 0;
}
