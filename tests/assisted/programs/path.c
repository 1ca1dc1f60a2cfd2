#include "path.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct path *path_new(size_t room)
{
    struct path *path = malloc(sizeof *path);
    if (path == NULL)
        abort();
    path->points = malloc(room * sizeof *path->points);
    path->style = malloc(sizeof *path->style);
    if (path->points == NULL || path->style == NULL)
        abort();
    path->count = 0;
    path->room = room;
    path->style->colour = "black";
    path->style->width = 1.0;
    return path;
}

void path_add(struct path *path, double x, double y)
{
    if (path->count == path->room) {
        path->room *= 2;
        path->points = realloc(path->points, path->room * sizeof *path->points);
        if (path->points == NULL)
            abort();
    }
    path->points[path->count].x = x;
    path->points[path->count].y = y;
    path->points[path->count].flags = 0;
    path->count++;
}

void path_close(struct path *path)
{
    if (path->count > 0)
        path_add(path, path->points[0].x, path->points[0].y);
}

double path_length(const struct path *path)
{
    double sum = 0;
    for (size_t at = 1; at < path->count; at++)
        sum += hypot(path->points[at].x - path->points[at - 1].x,
                     path->points[at].y - path->points[at - 1].y);
    return sum;
}

struct path *path_copy(const struct path *from)
{
    struct path *path = malloc(sizeof *path);
    if (path == NULL)
        abort();
    path->count = from->count;
    path->room = from->room;
    path->points = malloc(from->count * sizeof path->points);
    path->style = malloc(sizeof *path->style);
    if (path->points == NULL || path->style == NULL)
        abort();
    *path->style = *from->style;
    memcpy(path->points, from->points, from->count * sizeof *from->points);
    return path;
}

void path_free(struct path *path)
{
    free(path->points);
    free(path->style);
    free(path);
}
