/* The reader waits for work with the configuration locked, which the writer needs first. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t configuration = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int reading, ready;

static void *produce(void *unused) {
    while (!__atomic_load_n(&reading, __ATOMIC_ACQUIRE)) usleep(1000);
    pthread_mutex_lock(&configuration);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&configuration);
    return unused;
}

__attribute__((noinline)) static void consume(void) {
    pthread_mutex_lock(&configuration);
    pthread_mutex_lock(&lock);
    __atomic_store_n(&reading, 1, __ATOMIC_RELEASE);
    while (!ready) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&configuration);
}

int main(void) {
    pthread_t writer;
    pthread_create(&writer, NULL, produce, NULL);
    consume();
    pthread_join(writer, NULL);
    return 0;
}
