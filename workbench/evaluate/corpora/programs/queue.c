#include <stdio.h>
#include <stdlib.h>

struct item {
    long weight;
    struct item *next;
};

__attribute__((noinline)) static struct item *push(struct item *head, long weight)
{
    struct item *item = malloc(sizeof *item);

    item->weight = weight;
    item->next = head;
    return item;
}

__attribute__((noinline)) static void drop(struct item *item)
{
    free(item);
}

__attribute__((noinline)) static long weigh(const struct item *head)
{
    long sum = 0;

    for (const struct item *item = head; item != NULL; item = item->next)
        sum += item->weight;
    return sum;
}

int main(void)
{
    struct item *head = push(push(push(NULL, 3), 5), 8);

    drop(head->next);
    printf("%ld\n", weigh(head));
    return 0;
}
