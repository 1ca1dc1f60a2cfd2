/* A transfer and an audit take two locks in two orders; the transfer holds a third one, too. */
#include <pthread.h>

static pthread_mutex_t rates = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_of_all = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static int moved, seen, rate = 3;

static void *transfer(void *unused)
{
    pthread_mutex_lock(&rates);
    int now = rate;
    pthread_mutex_lock(&ledger);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&log_of_all);
    moved += now;
    pthread_mutex_unlock(&log_of_all);
    pthread_mutex_unlock(&ledger);
    pthread_mutex_unlock(&rates);
    return unused;
}

static void *audit(void *unused)
{
    pthread_mutex_lock(&log_of_all);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&ledger);
    seen++;
    pthread_mutex_unlock(&ledger);
    pthread_mutex_unlock(&log_of_all);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_barrier_init(&both, 0, 2);
    pthread_create(&one, 0, transfer, 0);
    pthread_create(&other, 0, audit, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
