#include <stdio.h>
#include <stdlib.h>

struct list {
    int *items;
    int count, room;
    int few[4];
};

__attribute__((noinline)) static void push(struct list *list, int item)
{
    if (list->count == list->room) {
        list->room *= 2;
        list->items = realloc(list->items, list->room * sizeof(int));
    }
    list->items[list->count++] = item;
}

int main(void)
{
    struct list list = {.room = 4};

    list.items = list.few;
    for (int item = 0; item < 20; item++)
        push(&list, item);
    printf("%d\n", list.items[3]);
    return 0;
}
