/*
 * relay: a small publish/subscribe relay for shop kiosks.
 *
 * Kiosks connect, subscribe to topics and publish to them, one request a line:
 *
 *     SUB <topic>
 *     PUB <topic> <text>
 *     PING
 *     BYE
 *
 * The event loop (main thread) reads requests and closes kiosks that went quiet. What has to be
 * written to kiosks is a job for the worker pool, so that a slow kiosk never stops the loop.
 *
 *     server --listen PORT        serve kiosks on the loopback interface
 *     server --replay FILE        feed a recorded trace, one step after the other
 */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 4
#define MAX_CONNECTIONS 64
#define IDLE_SECONDS 60
#define SWEEP_MILLIS 5000
#define LOG_LINES 64
#define THREAD_STACK (192 * 1024)

/* What is on its way to one kiosk. */
struct outbox {
    size_t queued;
    size_t limit;
    unsigned long sent;
    unsigned long dropped;
    char data[2048];
};

struct connection {
    int fd;
    unsigned id;
    struct outbox *out;
    struct connection *next;
    long last_active;
    char peer[32];
    size_t pending;
    char line[256];
};

struct subscriber {
    struct connection *conn;
    struct subscriber *next;
};

struct topic {
    char name[24];
    pthread_mutex_t lock;
    struct subscriber *subscribers;
    unsigned long published;
    struct topic *next;
};

struct message {
    unsigned from;
    size_t length;
    char text[232];
};

struct job {
    struct topic *topic;
    struct message *message;
    struct job *next;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work;
    pthread_cond_t idle;
    struct job *first;
    struct job *last;
    int busy;
};

struct worker {
    int number;
    unsigned long jobs;
    struct pool *pool;
};

static struct {
    pthread_mutex_t lock;
    struct connection *first;
    unsigned next_id;
    int count;
} connections = {.lock = PTHREAD_MUTEX_INITIALIZER, .next_id = 1};

static struct {
    pthread_mutex_t lock;
    struct topic *first;
} topics = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    char lines[LOG_LINES][120];
    unsigned head;
    unsigned tail;
} log_ring = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t asked;
    int wanted;
} snapshot = {.lock = PTHREAD_MUTEX_INITIALIZER, .asked = PTHREAD_COND_INITIALIZER};

static struct pool pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
    .idle = PTHREAD_COND_INITIALIZER,
};

/* A replay has the clock of its trace. */
static long replay_clock = -1;

static long now(void)
{
    struct timespec ts;

    if (replay_clock >= 0)
        return replay_clock;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec;
}

/* ---- log: writers fill a ring, one thread writes it out ---- */

static void say(const char *format, ...)
{
    va_list args;

    pthread_mutex_lock(&log_ring.lock);
    va_start(args, format);
    vsnprintf(log_ring.lines[log_ring.head % LOG_LINES], sizeof log_ring.lines[0], format, args);
    va_end(args);
    log_ring.head++;
    pthread_cond_signal(&log_ring.more);
    pthread_mutex_unlock(&log_ring.lock);
}

void *log_main(void *unused)
{
    char line[120];

    for (;;) {
        pthread_mutex_lock(&log_ring.lock);
        while (log_ring.tail == log_ring.head)
            pthread_cond_wait(&log_ring.more, &log_ring.lock);
        memcpy(line, log_ring.lines[log_ring.tail++ % LOG_LINES], sizeof line);
        pthread_mutex_unlock(&log_ring.lock);
        dprintf(STDERR_FILENO, "relay: %s\n", line);
    }
    return unused;
}

/* ---- connections ---- */

struct connection *connection_open(int fd, const char *peer)
{
    struct connection *conn = calloc(1, sizeof *conn);
    struct outbox *out = calloc(1, sizeof *out);

    if (conn == NULL || out == NULL) {
        free(conn);
        free(out);
        return NULL;
    }
    out->limit = sizeof out->data;
    conn->fd = fd;
    conn->out = out;
    conn->last_active = now();
    snprintf(conn->peer, sizeof conn->peer, "%s", peer);
    fcntl(fd, F_SETFL, O_NONBLOCK);

    pthread_mutex_lock(&connections.lock);
    conn->id = connections.next_id++;
    conn->next = connections.first;
    connections.first = conn;
    connections.count++;
    pthread_mutex_unlock(&connections.lock);
    say("%s connected as #%u", conn->peer, conn->id);
    return conn;
}

static void connection_free(struct connection *conn)
{
    close(conn->fd);
    free(conn->out);
    free(conn);
}

static void outbox_flush(struct connection *conn)
{
    struct outbox *out = conn->out;
    ssize_t written = write(conn->fd, out->data, out->queued);

    if (written <= 0)
        return;
    out->sent += written;
    out->queued -= written;
    memmove(out->data, out->data + written, out->queued);
}

/* Queue a message for one kiosk and write what its socket takes. Messages to a kiosk that reads
 * too slowly are dropped. Returns the number of bytes that were queued. */
size_t connection_send(struct connection *conn, const struct message *message)
{
    struct outbox *out = conn->out;
    size_t room = out->limit - out->queued;

    if (message->length > room) {
        out->dropped++;
        say("%s is slow, message of #%u dropped", conn->peer, message->from);
        return 0;
    }
    memcpy(out->data + out->queued, message->text, message->length);
    out->queued += message->length;
    outbox_flush(conn);
    return message->length;
}

/* ---- topics ---- */

struct topic *topic_find(const char *name)
{
    struct topic *topic;

    pthread_mutex_lock(&topics.lock);
    for (topic = topics.first; topic != NULL; topic = topic->next)
        if (strcmp(topic->name, name) == 0)
            break;
    if (topic == NULL && (topic = calloc(1, sizeof *topic)) != NULL) {
        snprintf(topic->name, sizeof topic->name, "%s", name);
        pthread_mutex_init(&topic->lock, NULL);
        topic->next = topics.first;
        topics.first = topic;
    }
    pthread_mutex_unlock(&topics.lock);
    return topic;
}

void topic_subscribe(struct topic *topic, struct connection *conn)
{
    struct subscriber *sub = malloc(sizeof *sub);

    if (sub == NULL)
        return;
    sub->conn = conn;
    pthread_mutex_lock(&topic->lock);
    sub->next = topic->subscribers;
    topic->subscribers = sub;
    pthread_mutex_unlock(&topic->lock);
}

void topic_unsubscribe(struct topic *topic, struct connection *conn)
{
    struct subscriber **link, *sub;

    pthread_mutex_lock(&topic->lock);
    for (link = &topic->subscribers; (sub = *link) != NULL;) {
        if (sub->conn == conn) {
            *link = sub->next;
            free(sub);
        } else {
            link = &sub->next;
        }
    }
    pthread_mutex_unlock(&topic->lock);
}

/* Send a message to every subscriber but the one that it came from. */
size_t topic_publish(struct topic *topic, const struct message *message)
{
    struct subscriber *sub;
    size_t total = 0;
    int receivers = 0;

    pthread_mutex_lock(&topic->lock);
    topic->published++;
    for (sub = topic->subscribers; sub != NULL; sub = sub->next) {
        struct connection *conn = sub->conn;

        if (conn->id == message->from)
            continue;
        total += connection_send(conn, message);
        receivers++;
    }
    pthread_mutex_unlock(&topic->lock);
    say("%s: %zu bytes to %d kiosks", topic->name, total, receivers);
    return total;
}

/* ---- closing ---- */

/* A kiosk said BYE or hung up: leave all topics, then the list. */
void connection_close(struct connection *conn)
{
    struct connection **link;
    struct topic *topic;

    pthread_mutex_lock(&topics.lock);
    for (topic = topics.first; topic != NULL; topic = topic->next)
        topic_unsubscribe(topic, conn);
    pthread_mutex_unlock(&topics.lock);

    pthread_mutex_lock(&connections.lock);
    for (link = &connections.first; *link != NULL; link = &(*link)->next) {
        if (*link == conn) {
            *link = conn->next;
            connections.count--;
            break;
        }
    }
    pthread_mutex_unlock(&connections.lock);
    say("%s left", conn->peer);
    connection_free(conn);
}

/* Close kiosks that have been quiet for too long. The list is locked once for the whole sweep, so
 * they are unlinked here and not by connection_close(). */
int close_idle(long idle_seconds)
{
    struct connection **link, *conn;
    int closed = 0;

    pthread_mutex_lock(&connections.lock);
    for (link = &connections.first; (conn = *link) != NULL;) {
        if (now() - conn->last_active < idle_seconds) {
            link = &conn->next;
            continue;
        }
        *link = conn->next;
        connections.count--;
        say("%s closed after %ld s", conn->peer, now() - conn->last_active);
        connection_free(conn);
        closed++;
    }
    pthread_mutex_unlock(&connections.lock);
    return closed;
}

/* ---- worker pool ---- */

static void pool_add(struct pool *p, struct job *job)
{
    job->next = NULL;
    pthread_mutex_lock(&p->lock);
    if (p->first == NULL)
        p->first = job;
    else
        p->last->next = job;
    p->last = job;
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->lock);
}

static void pool_drain(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->first != NULL || p->busy > 0)
        pthread_cond_wait(&p->idle, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void run_job(struct worker *self, struct job *job)
{
    topic_publish(job->topic, job->message);
    self->jobs++;
    free(job->message);
    free(job);
}

void *worker_main(void *arg)
{
    struct worker *self = arg;
    struct pool *p = self->pool;

    for (;;) {
        struct job *job;

        pthread_mutex_lock(&p->lock);
        while ((job = p->first) == NULL)
            pthread_cond_wait(&p->work, &p->lock);
        p->first = job->next;
        p->busy++;
        pthread_mutex_unlock(&p->lock);

        run_job(self, job);

        pthread_mutex_lock(&p->lock);
        if (--p->busy == 0 && p->first == NULL)
            pthread_cond_broadcast(&p->idle);
        pthread_mutex_unlock(&p->lock);
    }
    return NULL;
}

/* ---- side threads ---- */

void *stats_main(void *unused)
{
    for (;;) {
        poll(NULL, 0, 60 * 1000);
        pthread_mutex_lock(&connections.lock);
        say("%d kiosks", connections.count);
        pthread_mutex_unlock(&connections.lock);
    }
    return unused;
}

void *snapshot_main(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&snapshot.lock);
        while (!snapshot.wanted)
            pthread_cond_wait(&snapshot.asked, &snapshot.lock);
        snapshot.wanted = 0;
        pthread_mutex_unlock(&snapshot.lock);

        pthread_mutex_lock(&topics.lock);
        for (struct topic *topic = topics.first; topic != NULL; topic = topic->next)
            say("topic %s: %lu published", topic->name, topic->published);
        pthread_mutex_unlock(&topics.lock);
    }
    return unused;
}

void *signal_main(void *arg)
{
    const sigset_t *handled = arg;
    int number;

    while (sigwait(handled, &number) == 0) {
        if (number == SIGTERM)
            exit(0);
        pthread_mutex_lock(&snapshot.lock);
        snapshot.wanted = 1;
        pthread_cond_signal(&snapshot.asked);
        pthread_mutex_unlock(&snapshot.lock);
    }
    return NULL;
}

/* ---- requests ---- */

static int handle_request(struct connection *conn, char *line)
{
    char *verb = strtok(line, " ");
    char *name = strtok(NULL, " ");
    char *text = strtok(NULL, "");
    struct message *message;
    struct job *job;

    conn->last_active = now();
    if (verb == NULL || strcmp(verb, "PING") == 0)
        return 0;
    if (strcmp(verb, "BYE") == 0)
        return -1;
    if (name == NULL)
        return 0;
    if (strcmp(verb, "SUB") == 0) {
        topic_subscribe(topic_find(name), conn);
        return 0;
    }
    if (strcmp(verb, "PUB") != 0 || text == NULL)
        return 0;
    message = malloc(sizeof *message);
    job = malloc(sizeof *job);
    if (message == NULL || job == NULL) {
        free(message);
        free(job);
        return 0;
    }
    message->from = conn->id;
    message->length = (size_t)snprintf(message->text, sizeof message->text, "%s %s\n", name, text);
    if (message->length >= sizeof message->text)
        message->length = sizeof message->text - 1;
    job->topic = topic_find(name);
    job->message = message;
    pool_add(&pool, job);
    return 0;
}

/* Take what a kiosk sent; returns -1 when it is gone. */
static int connection_read(struct connection *conn)
{
    ssize_t got = read(conn->fd, conn->line + conn->pending, sizeof conn->line - 1 - conn->pending);
    char *end;

    if (got == 0 || (got < 0 && errno != EAGAIN))
        return -1;
    conn->pending += got > 0 ? (size_t)got : 0;
    conn->line[conn->pending] = '\0';
    while ((end = strchr(conn->line, '\n')) != NULL) {
        *end++ = '\0';
        if (handle_request(conn, conn->line) < 0)
            return -1;
        conn->pending -= (size_t)(end - conn->line);
        memmove(conn->line, end, conn->pending + 1);
    }
    if (conn->pending == sizeof conn->line - 1)
        conn->pending = 0;
    return 0;
}

/* ---- event loop ---- */

/* Wait for requests and serve them. `listener` is -1 in a replay. Returns the number of events. */
static int serve_once(int listener, int millis)
{
    struct pollfd fds[MAX_CONNECTIONS + 1];
    struct connection *by_slot[MAX_CONNECTIONS + 1];
    int used = 1, ready;

    fds[0] = (struct pollfd){.fd = listener, .events = POLLIN};
    pthread_mutex_lock(&connections.lock);
    for (struct connection *conn = connections.first; conn != NULL; conn = conn->next) {
        if (used > MAX_CONNECTIONS)
            break;
        by_slot[used] = conn;
        fds[used++] = (struct pollfd){.fd = conn->fd, .events = POLLIN};
    }
    pthread_mutex_unlock(&connections.lock);

    ready = poll(fds, (nfds_t)used, millis);
    for (int slot = 1; slot < used; slot++)
        if (fds[slot].revents != 0 && connection_read(by_slot[slot]) < 0)
            connection_close(by_slot[slot]);
    if (fds[0].revents & POLLIN) {
        int fd = accept(listener, NULL, NULL);

        if (fd >= 0 && connection_open(fd, "kiosk") == NULL)
            close(fd);
    }
    return ready;
}

static void listen_forever(int port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((unsigned short)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(listener, 16) < 0) {
        perror("relay: listen");
        exit(1);
    }
    for (;;) {
        serve_once(listener, SWEEP_MILLIS);
        close_idle(IDLE_SECONDS);
    }
}

/* A trace line is "<seconds> <kiosk> <request>"; a kiosk's first line connects it. Each step is
 * served to its end before the next one, so that a trace always plays the same. */
static void replay(const char *path)
{
    FILE *trace = fopen(path, "r");
    struct {
        char name[32];
        int fd;
    } kiosks[MAX_CONNECTIONS];
    int known = 0;
    char line[256], name[32], request[200];
    long at;

    if (trace == NULL) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof line, trace) != NULL) {
        int slot = 0;

        if (sscanf(line, "%ld %31s %199[^\n]", &at, name, request) != 3)
            continue;
        replay_clock = at;
        close_idle(IDLE_SECONDS);
        while (slot < known && strcmp(kiosks[slot].name, name) != 0)
            slot++;
        if (slot == MAX_CONNECTIONS)
            continue;
        if (slot == known) {
            int pair[2];

            if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
                break;
            snprintf(kiosks[known].name, sizeof kiosks[known].name, "%s", name);
            kiosks[known++].fd = pair[1];
            connection_open(pair[0], name);
        }
        dprintf(kiosks[slot].fd, "%s\n", request);
        serve_once(-1, 0);
        pool_drain(&pool);
    }
    fclose(trace);
}

static void start(void *(*body)(void *), void *arg)
{
    pthread_attr_t attr;
    pthread_t thread;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, THREAD_STACK);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attr, body, arg) != 0) {
        perror("relay: thread");
        exit(1);
    }
    pthread_attr_destroy(&attr);
}

int main(int argc, char **argv)
{
    static struct worker workers[WORKERS];
    static sigset_t handled;

    if (argc != 3) {
        fprintf(stderr, "usage: %s --listen PORT | --replay FILE\n", argv[0]);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&handled);
    sigaddset(&handled, SIGTERM);
    sigaddset(&handled, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &handled, NULL);

    start(log_main, NULL);
    start(stats_main, NULL);
    start(snapshot_main, NULL);
    start(signal_main, &handled);
    for (int number = 0; number < WORKERS; number++) {
        workers[number] = (struct worker){.number = number, .pool = &pool};
        start(worker_main, &workers[number]);
    }
    if (strcmp(argv[1], "--replay") == 0)
        replay(argv[2]);
    else
        listen_forever(atoi(argv[2]));
    return 0;
}
