#include <stddef.h>
#include <stdio.h>

struct order {
    long id;
    long price;
    long count;
};

static struct order table[] = {{1, 250, 2}, {2, 120, 1}};

__attribute__((noinline)) static struct order *find(long id)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].id == id)
            return &table[i];
    return NULL;
}

__attribute__((noinline)) static long total(const struct order *order)
{
    return order->price * order->count;
}

int main(int argc, char **argv)
{
    printf("%ld\n", total(find(argc + 6)));
    return 0;
}
