#include <stdio.h>
#include <stdlib.h>

struct observer {
    void (*notify)(void *context, int value);
    void *context;
    struct observer *next;
};

static struct observer *observers;

static void print(void *context, int value)
{
    printf("%s: %d\n", (char *)context, value);
}

static struct observer *attach(char *context)
{
    struct observer *made = malloc(sizeof *made);

    made->notify = print;
    made->context = context;
    made->next = observers;
    return observers = made;
}

__attribute__((noinline)) static void publish(int value)
{
    for (struct observer *each = observers; each != NULL; each = each->next)
        each->notify(each->context, value);
}

int main(void)
{
    attach("log");
    struct observer *screen = attach("screen");
    attach("file");
    publish(1);
    free(screen);
    free(observers);
    publish(2);
    return 0;
}
