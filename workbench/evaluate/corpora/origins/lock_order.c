/* An early return that keeps the lock. flags: -g -O0 -pthread  kind: hang */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t lock;
    long balance;
    int closed;
};

static struct account accounts[2] = {
    {PTHREAD_MUTEX_INITIALIZER, 100, 0},
    {PTHREAD_MUTEX_INITIALIZER, 50, 0},
};

static int withdraw(struct account *account, long amount) {
    pthread_mutex_lock(&account->lock); /* origin withdraw */
    if (account->balance < amount)
        return -1;
    account->balance -= amount;
    pthread_mutex_unlock(&account->lock);
    return 0;
}

static void deposit(struct account *account, long amount) {
    pthread_mutex_lock(&account->lock);
    account->balance += amount;
    pthread_mutex_unlock(&account->lock);
}

static void *spender(void *unused) {
    (void)unused;
    for (int i = 0; i < 4; i++)
        withdraw(&accounts[0], 40);
    return NULL;
}

static void *earner(void *unused) {
    (void)unused;
    for (int i = 0; i < 10; i++)
        deposit(&accounts[0], 5);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, spender, NULL);
    pthread_join(threads[0], NULL);
    pthread_create(&threads[1], NULL, earner, NULL);
    pthread_join(threads[1], NULL);
    printf("%ld\n", accounts[0].balance);
    return 0;
}
