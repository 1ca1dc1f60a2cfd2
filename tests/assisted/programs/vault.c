#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct secret {
    char name[16];
    int version;
    struct secret *next;
};

struct vault {
    pthread_mutex_t lock;
    struct secret *first;
    unsigned count;
};

static struct vault vault = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

static struct secret *find(const char *name)
{
    for (struct secret *s = vault.first; s; s = s->next)
        if (strcmp(s->name, name) == 0)
            return s;
    return NULL;
}

static void store(const char *name)
{
    pthread_mutex_lock(&vault.lock);
    struct secret *s = calloc(1, sizeof *s);
    strncpy(s->name, name, 15);
    s->next = vault.first;
    vault.first = s;
    vault.count++;
    pthread_mutex_unlock(&vault.lock);
}

static int rotate(const char *name)
{
    pthread_mutex_lock(&vault.lock);
    struct secret *s = find(name);
    if (s == NULL)
        return -1;
    s->version++;
    pthread_mutex_unlock(&vault.lock);
    return s->version;
}

static unsigned size(void)
{
    pthread_mutex_lock(&vault.lock);
    unsigned n = vault.count;
    pthread_mutex_unlock(&vault.lock);
    return n;
}

static void *worker(void *arg)
{
    rotate(arg);
    return NULL;
}

int main(void)
{
    pthread_t one;
    store("db");
    store("mail");
    pthread_create(&one, NULL, worker, "mail");
    pthread_join(one, NULL);
    rotate("ftp");
    pthread_create(&one, NULL, worker, "db");
    printf("%u\n", size());
    pthread_join(one, NULL);
    return 0;
}
