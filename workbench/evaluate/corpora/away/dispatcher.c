/* A dispatcher hands events to a worker; the service is stopped while one event is still served. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct event {
    int kind;
    long payload;
};

struct queue {
    struct event **slots;
    size_t capacity;
    size_t head;
    size_t tail;
    size_t served;
    pthread_mutex_t lock;
    pthread_cond_t filled;
};

struct service {
    struct queue *queue;
    pthread_t worker;
    sem_t upload_started;
    sem_t upload_done;
    long total;
};

enum { TALLY = 1, UPLOAD = 2 };

static struct queue *queue_new(size_t capacity)
{
    struct queue *queue = calloc(1, sizeof *queue);

    if (queue == NULL)
        return NULL;
    queue->slots = calloc(capacity, sizeof *queue->slots);
    queue->capacity = capacity;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->filled, NULL);
    return queue;
}

static void queue_free(struct queue *queue)
{
    for (size_t at = queue->head; at != queue->tail; at++)
        free(queue->slots[at % queue->capacity]);
    free(queue->slots);
    free(queue);
}

static void queue_put(struct queue *queue, int kind, long payload)
{
    struct event *event = malloc(sizeof *event);

    event->kind = kind;
    event->payload = payload;
    pthread_mutex_lock(&queue->lock);
    queue->slots[queue->tail++ % queue->capacity] = event;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

__attribute__((noinline)) static struct event *queue_take(struct queue *queue)
{
    struct event *event;

    pthread_mutex_lock(&queue->lock);
    while (queue->head == queue->tail)
        pthread_cond_wait(&queue->filled, &queue->lock);
    event = queue->slots[queue->head++ % queue->capacity];
    queue->served++;
    pthread_mutex_unlock(&queue->lock);
    return event;
}

__attribute__((noinline)) static long serve(struct service *service, const struct event *event)
{
    if (event->kind == UPLOAD) {
        sem_post(&service->upload_started);
        while (sem_trywait(&service->upload_done) != 0)
            usleep(20000);
    }
    return event->payload;
}

static void *work(void *argument)
{
    struct service *service = argument;
    struct queue *queue = service->queue;

    for (;;) {
        struct event *event = queue_take(queue);
        long worth = serve(service, event);

        free(event);
        if (worth < 0)
            return NULL;
        service->total += worth;
    }
}

static int service_start(struct service *service)
{
    memset(service, 0, sizeof *service);
    sem_init(&service->upload_started, 0, 0);
    sem_init(&service->upload_done, 0, 0);
    service->queue = queue_new(16);
    return service->queue != NULL
        && pthread_create(&service->worker, NULL, work, service) == 0;
}

__attribute__((noinline)) static void service_stop(struct service *service)
{
    queue_put(service->queue, TALLY, -1);
    queue_free(service->queue);
    service->queue = NULL;
    sem_post(&service->upload_done);
    pthread_join(service->worker, NULL);
}

int main(void)
{
    struct service service;

    if (!service_start(&service))
        return 1;
    for (long at = 1; at <= 5; at++)
        queue_put(service.queue, TALLY, at);
    queue_put(service.queue, UPLOAD, 100);
    sem_wait(&service.upload_started);
    service_stop(&service);
    printf("%ld\n", service.total);
    return 0;
}
