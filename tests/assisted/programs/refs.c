/* Reference counted buffers that are shared by messages in queues. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    size_t length;
    size_t room;
    int refs;
    char *bytes;
};

struct message {
    int topic;
    struct buffer *body;
    struct message *next;
};

struct queue {
    struct message *head;
    struct message **tail;
    unsigned length;
};

static struct buffer *buffer_new(const char *text)
{
    struct buffer *buffer = malloc(sizeof *buffer);

    buffer->refs = 1;
    buffer->length = strlen(text);
    buffer->room = buffer->length + 1;
    buffer->bytes = malloc(buffer->room);
    memcpy(buffer->bytes, text, buffer->length + 1);
    return buffer;
}

static struct buffer *buffer_get(struct buffer *buffer)
{
    buffer->refs++;
    return buffer;
}

static void buffer_put(struct buffer *buffer)
{
    if (--buffer->refs > 0)
        return;
    free(buffer->bytes);
    free(buffer);
}

static void queue_init(struct queue *queue)
{
    queue->head = NULL;
    queue->tail = &queue->head;
    queue->length = 0;
}

static void queue_push(struct queue *queue, int topic, struct buffer *body)
{
    struct message *message = malloc(sizeof *message);

    message->topic = topic;
    message->body = buffer_get(body);
    message->next = NULL;
    *queue->tail = message;
    queue->tail = &message->next;
    queue->length++;
}

static struct message *queue_pop(struct queue *queue)
{
    struct message *message = queue->head;

    if (message == NULL)
        return NULL;
    queue->head = message->next;
    if (queue->head == NULL)
        queue->tail = &queue->head;
    queue->length--;
    return message;
}

static void message_free(struct message *message)
{
    buffer_put(message->body);
    free(message);
}

static void queue_forward(struct queue *from, struct queue *to, int topic)
{
    struct message *message;

    while ((message = queue_pop(from)) != NULL) {
        if (message->topic == topic) {
            struct message *copy = malloc(sizeof *copy);
            *copy = *message;
            copy->next = NULL;
            *to->tail = copy;
            to->tail = &copy->next;
            to->length++;
        }
        message_free(message);
    }
}

static void queue_drain(struct queue *queue)
{
    struct message *message;

    while ((message = queue_pop(queue)) != NULL)
        message_free(message);
}

int main(void)
{
    struct queue in, out;
    struct buffer *body = buffer_new("the body of a message that two queues hold");

    queue_init(&in);
    queue_init(&out);
    queue_push(&in, 1, body);
    queue_push(&in, 2, body);
    buffer_put(body);
    queue_forward(&in, &out, 2);
    printf("%u\n", out.length);
    queue_drain(&out);
    return 0;
}
