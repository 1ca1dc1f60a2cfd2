#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static int wanted = 60000;

__attribute__((noinline)) static void *work(void *unused)
{
    char room[60000];

    memset(room, 1, wanted);
    printf("%d\n", room[wanted / 2]);
    return unused;
}

/* A stack of its own, with room for less than one frame; beneath its guard is other memory. */
int main(void)
{
    size_t size = PTHREAD_STACK_MIN + 8192;
    char *all = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *stack = all + (1 << 19);
    pthread_attr_t how;
    pthread_t worker;

    mprotect(stack, size, PROT_READ | PROT_WRITE);
    mprotect(stack - 65536, 32768, PROT_READ | PROT_WRITE);
    pthread_attr_init(&how);
    pthread_attr_setstack(&how, stack, size);
    pthread_create(&worker, &how, work, NULL);
    pthread_join(worker, NULL);
    return 0;
}
