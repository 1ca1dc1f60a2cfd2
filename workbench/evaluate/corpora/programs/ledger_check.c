#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static long entries[] = {100, -40, -70};

__attribute__((noinline)) static long settle(void)
{
    long balance = 0;

    for (unsigned at = 0; at < sizeof entries / sizeof *entries; at++) {
        balance += entries[at];
        assert(balance >= 0);
    }
    return balance;
}

static void *audit(void *unused)
{
    printf("%ld\n", settle());
    return unused;
}

int main(void)
{
    pthread_t auditor;

    pthread_create(&auditor, NULL, audit, NULL);
    pthread_join(auditor, NULL);
    return 0;
}
