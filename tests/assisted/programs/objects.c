/* An interpreter's objects: two constructors, one of which forgets a field. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { T_NUM, T_STR, T_LIST, T_FUNC } type_t;
typedef struct obj obj_t;
typedef struct {
    const char *name;
    void (*print)(const obj_t *);
} class_t;

struct obj {
    type_t type;
    int refs;
    const class_t *cls;
    union {
        double num;
        char *str;
        struct { obj_t **items; size_t len; } list;
    } u;
};

static void print_num(const obj_t *o) { printf("%g", o->u.num); }
static void print_str(const obj_t *o) { printf("\"%s\"", o->u.str); }
static void print_list(const obj_t *o);
static const class_t NUM = { "num", print_num }, STR = { "str", print_str }, LIST = { "list", print_list };

static obj_t *obj_alloc(type_t type)
{
    obj_t *o = malloc(sizeof *o);
    if (!o)
        abort();
    memset(o, 0, sizeof *o);
    o->type = type;
    o->refs = 1;
    return o;
}

static obj_t *new_num(double v)
{
    obj_t *o = obj_alloc(T_NUM);
    o->cls = &NUM;
    o->u.num = v;
    return o;
}

static obj_t *new_str(const char *s)
{
    obj_t *o = obj_alloc(T_STR);
    o->u.str = strdup(s);
    return o;
}

static obj_t *new_list(size_t n)
{
    obj_t *o = obj_alloc(T_LIST);
    o->cls = &LIST;
    o->u.list.items = calloc(n, sizeof(obj_t *));
    o->u.list.len = n;
    return o;
}

static void print_list(const obj_t *o)
{
    putchar('[');
    for (size_t i = 0; i < o->u.list.len; i++) {
        const obj_t *e = o->u.list.items[i];
        e->cls->print(e);
        putchar(' ');
    }
    putchar(']');
}

static void show(const obj_t *o)
{
    o->cls->print(o);
    putchar('\n');
}

int main(int argc, char **argv)
{
    (void)argv;
    obj_t *l = new_list(3);
    l->u.list.items[0] = new_num(1.5);
    l->u.list.items[1] = new_num(argc);
    l->u.list.items[2] = new_str("tail");
    show(l);
    return STR.name[0] == 0;
}
