#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
    int *items;
    int used, room;
};

__attribute__((noinline)) static void add(struct list *list, int item)
{
    if (list->used == list->room) {
        list->room = list->room ? list->room * 8 : 4;
        list->items = realloc(list->items, list->room * sizeof *list->items);
    }
    list->items[list->used++] = item;
}

__attribute__((noinline)) static void discard(int *items)
{
    free(items);
}

int main(void)
{
    struct list list = {NULL, 0, 0};
    void *between;
    int *first;

    add(&list, 1);
    first = list.items;
    between = strdup("the next block");
    for (int item = 2; item < 40; item++)
        add(&list, item);
    discard(first);
    printf("%s: %d\n", between, list.items[38]);
    free(between);
    return 0;
}
