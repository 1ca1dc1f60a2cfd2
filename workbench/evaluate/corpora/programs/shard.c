#include <pthread.h>
#include <stdio.h>

static volatile unsigned long shards;

__attribute__((noinline)) static unsigned long shard(unsigned long key)
{
    return key % shards;
}

static void *place(void *key)
{
    printf("%lu\n", shard((unsigned long)key));
    return NULL;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, place, (void *)77);
    pthread_join(thread, NULL);
    return 0;
}
