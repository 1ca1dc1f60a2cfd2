#ifndef PATH_H
#define PATH_H
#include <stddef.h>

struct point {
    double x, y;
    int flags;
};

struct style {
    const char *colour;
    double width;
};

struct path {
    size_t count;
    size_t room;
    struct point *points;
    struct style *style;
};

struct path *path_new(size_t room);
void path_add(struct path *path, double x, double y);
void path_close(struct path *path);
double path_length(const struct path *path);
struct path *path_copy(const struct path *from);
void path_free(struct path *path);
#endif
