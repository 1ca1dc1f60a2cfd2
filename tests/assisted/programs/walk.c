/* Walks a tree of folders and tells each path. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 6

struct folder {
    const char *name;
    struct folder *inside, *beside;
};

struct walker {
    const char *names[DEPTH];
    int (*found)(const char *path, void *context);
    void *context;
    unsigned depth, told;
};

static struct folder *folder_new(const char *name, struct folder *inside, struct folder *beside)
{
    struct folder *f = malloc(sizeof *f);
    f->name = name;
    f->inside = inside;
    f->beside = beside;
    return f;
}

static int print(const char *path, void *context)
{
    size_t *most = context;
    size_t n = strlen(path);
    if (n > *most)
        *most = n;
    puts(path);
    return 0;
}

static void walker_init(struct walker *w, int (*found)(const char *, void *), void *context)
{
    memset(w, 0, sizeof *w);
    w->found = found;
    w->context = context;
}

static void enter(struct walker *w, const char *name)
{
    w->names[w->depth] = name;
    w->depth++;
}

static void leave(struct walker *w)
{
    w->depth--;
}

static void tell(struct walker *w)
{
    char path[256] = "";
    for (unsigned i = 0; i < w->depth; i++) {
        strncat(path, "/", sizeof path - strlen(path) - 1);
        strncat(path, w->names[i], sizeof path - strlen(path) - 1);
    }
    w->told++;
    w->found(path, w->context);
}

static void visit(struct walker *w, const struct folder *f)
{
    for (; f; f = f->beside) {
        enter(w, f->name);
        tell(w);
        visit(w, f->inside);
        leave(w);
    }
}

int main(void)
{
    struct folder *deep = folder_new("objects", NULL, NULL);
    static const char *names[] = {"cache", "build", "x86", "debug", "main"};
    for (int i = 0; i < 5; i++)
        deep = folder_new(names[i], deep, NULL);
    struct folder *root = folder_new("home", folder_new("src", folder_new("lib", deep, NULL), NULL), NULL);
    struct walker w;
    size_t most = 0;
    walker_init(&w, print, &most);
    visit(&w, root);
    printf("%u folders, %zu\n", w.told, most);
    return 0;
}
