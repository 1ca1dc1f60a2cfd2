#include <pthread.h>
#include <stdio.h>

static pthread_spinlock_t gate;
static int inside;

__attribute__((noinline)) static int count(void)
{
    int now;

    pthread_spin_lock(&gate);
    now = inside;
    pthread_spin_unlock(&gate);
    return now;
}

__attribute__((noinline)) static void enter(int most)
{
    pthread_spin_lock(&gate);
    if (count() < most)
        inside++;
    pthread_spin_unlock(&gate);
}

int main(void)
{
    pthread_spin_init(&gate, PTHREAD_PROCESS_PRIVATE);
    puts("entering");
    fflush(stdout);
    enter(3);
    printf("%d\n", inside);
    return 0;
}
