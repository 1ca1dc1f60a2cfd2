/* A queue of orders is emptied while a report still walks over it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct customer {
    char name[24];
    long balance;
};

struct order {
    struct order *next;
    struct customer *owner;
    long amount;
    int lines;
};

struct book {
    struct order *first;
    struct order *cursor;
    long total;
};

static struct customer *customer_new(const char *name)
{
    struct customer *made = calloc(1, sizeof *made);
    snprintf(made->name, sizeof made->name, "%s", name);
    made->balance = 100;
    return made;
}

static struct order *order_new(struct customer *owner, long amount)
{
    struct order *made = malloc(sizeof *made);
    made->next = NULL;
    made->owner = owner;
    made->amount = amount;
    made->lines = 1;
    return made;
}

static void book_add(struct book *book, struct order *order)
{
    order->next = book->first;
    book->first = order;
}

static void book_cancel(struct book *book, long amount)
{
    struct order **at = &book->first;
    while (*at != NULL) {
        struct order *here = *at;
        if (here->amount == amount) {
            *at = here->next;
            free(here);
        } else {
            at = &here->next;
        }
    }
}

static double *prices(int count)
{
    double *made = malloc(count * sizeof *made);
    for (int i = 0; i < count; i++)
        made[i] = 9.95 + i * 1.25;
    return made;
}

__attribute__((noinline)) static long owed(const struct order *order)
{
    return order->owner->balance + order->amount;
}

int main(void)
{
    struct book book = {0};
    struct customer *anna = customer_new("anna");
    for (long i = 1; i <= 6; i++)
        book_add(&book, order_new(anna, i * 10));
    book.cursor = book.first->next;
    book_cancel(&book, 50);
    double *list = prices(4);
    printf("%f\n", list[3]);
    printf("%ld\n", owed(book.cursor));
    return 0;
}
