/* An index that is computed far from where it is used. flags: -g -O0 */
#include <stdio.h>
#include <stdlib.h>

struct grid {
    int width;
    int height;
    int *cells;
};

struct cursor {
    int x;
    int y;
    long offset;
};

struct config {
    int step;
    int bias;
};

static void grid_open(struct grid *grid, int width, int height) {
    grid->width = width;
    grid->height = height;
    grid->cells = calloc((size_t)width * (size_t)height, sizeof *grid->cells);
}

static void seek(struct cursor *cursor, const struct grid *grid, const struct config *config) {
    cursor->offset = (long)cursor->y * grid->width * config->step + cursor->x - config->bias; /* origin seek */
}

static void advance(struct cursor *cursor, const struct grid *grid) {
    cursor->x++;
    if (cursor->x == grid->width) {
        cursor->x = 0;
        cursor->y++;
    }
}

static int read_cell(const struct grid *grid, const struct cursor *cursor) {
    return grid->cells[cursor->offset];
}

static int walk(const struct grid *grid, struct cursor *cursor, const struct config *config) {
    int total = 0;
    for (int i = 0; i < 5000; i++) {
        seek(cursor, grid, config);
        total += read_cell(grid, cursor);
        advance(cursor, grid);
    }
    return total;
}

int main(void) {
    struct grid grid;
    struct cursor cursor = {0, 0, 0};
    struct config config = {1, 0};
    grid_open(&grid, 80, 100);
    int total = walk(&grid, &cursor, &config);
    config.step = 30000;
    total += walk(&grid, &cursor, &config);
    printf("%d\n", total);
    return 0;
}
