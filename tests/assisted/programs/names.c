#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct name {
    uint8_t size;
    uint8_t kind;
    char *text;
};

struct person {
    struct name *name;
    struct person *next;
    unsigned year;
};

struct list {
    struct person *first;
    struct person **end;
    unsigned count;
};

static struct name *name_new(const char *text, int kind)
{
    struct name *name = malloc(sizeof *name);
    if (name == NULL)
        return NULL;
    name->size = strlen(text) + 1;
    name->kind = kind;
    name->text = malloc(name->size);
    if (name->text == NULL) {
        free(name);
        return NULL;
    }
    return name;
}

static void name_set(struct name *name, const char *text)
{
    char *out = name->text;
    while (*text != '\0')
        *out++ = *text++;
    *out = '\0';
}

static struct person *list_add(struct list *list, struct name *name, unsigned year)
{
    struct person *person = calloc(1, sizeof *person);
    if (person == NULL)
        abort();
    person->name = name;
    person->year = year;
    *list->end = person;
    list->end = &person->next;
    list->count++;
    return person;
}

static __attribute__((noinline)) unsigned oldest(const struct list *list)
{
    unsigned year = 9999;
    for (const struct person *person = list->first; person != NULL; person = person->next)
        if (person->name->kind != 0 && person->year < year)
            year = person->year;
    return year;
}

static void list_free(struct list *list)
{
    while (list->first != NULL) {
        struct person *person = list->first;
        list->first = person->next;
        free(person->name->text);
        free(person->name);
        free(person);
    }
}

static char *long_name(unsigned parts)
{
    static const char *const words[] = {"Maria ", "de los ", "Angeles ", "Fernandez "};
    char *text = calloc(1, parts * 10 + 1);
    for (unsigned part = 0; text != NULL && part < parts; part++)
        strcat(text, words[part % 4]);
    return text;
}

int main(void)
{
    struct list list = {.end = &list.first};
    char *full = long_name(36);
    struct name *one = name_new("Paul", 1);
    struct name *two = name_new(full, 1);
    struct name *three = name_new("Ada", 2);
    list_add(&list, one, 1961);
    list_add(&list, two, 1973);
    list_add(&list, three, 1955);
    name_set(one, "Paul");
    name_set(two, full);
    printf("%u people, the oldest of %u\n", list.count, oldest(&list));
    list_free(&list);
    free(full);
    return 0;
}
