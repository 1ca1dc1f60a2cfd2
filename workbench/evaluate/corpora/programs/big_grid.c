/* More memory is asked for than any machine has. */
#include <stdio.h>
#include <stdlib.h>

struct grid {
    unsigned long width, height;
    char *cells;
};

__attribute__((noinline)) static void make(struct grid *grid) {
    grid->cells = calloc(grid->width, grid->height);
    grid->cells[5] = 1;
}

int main(void) {
    struct grid grid = {1UL << 31, 1UL << 29, NULL};
    make(&grid);
    printf("%d\n", grid.cells[5]);
    return 0;
}
