#include <stdio.h>
#include <stdlib.h>

struct screen {
    struct screen *parent;
    int (*draw)(struct screen *);
    char pixels[4096];
};

static int plain(struct screen *screen) { return screen->pixels[0]; }

__attribute__((noinline)) static struct screen *open_screen(void)
{
    struct screen *screen = calloc(1, sizeof *screen);

    screen->draw = plain;
    return screen;
}

__attribute__((noinline)) static int refresh(struct screen *screen)
{
    int changed = screen->draw(screen);

    return changed + 1;
}

__attribute__((noinline)) static void leave(struct screen *screen)
{
    free(screen);
}

int main(void)
{
    struct screen *screen = open_screen();
    char *name = malloc(32);

    snprintf(name, 32, "%d", refresh(screen));
    leave(screen);
    printf("%s %d\n", name, refresh(screen));
    return 0;
}
