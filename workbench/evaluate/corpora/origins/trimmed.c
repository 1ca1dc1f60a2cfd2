/* A text is moved on past its spaces, and what is freed is no block's start. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct line { char *text; size_t length; struct line *next; };
static char *copy(const char *s)
{
    char *p = malloc(strlen(s) + 1);
    return strcpy(p, s);
}
static struct line *add(struct line *list, const char *text)
{
    struct line *l = malloc(sizeof *l);
    l->text = copy(text);
    l->length = strlen(text);
    l->next = list;
    return l;
}
static void trim(struct line *l)
{
    while (isspace((unsigned char)*l->text)) {
        l->text++; /* origin trim */
        l->length--;
    }
    while (l->length && isspace((unsigned char)l->text[l->length - 1]))
        l->text[--l->length] = 0;
}
static void show(struct line *list)
{
    for (; list; list = list->next)
        printf("[%s]\n", list->text);
}
static void discard(struct line *list)
{
    while (list) {
        struct line *next = list->next;
        free(list->text);
        free(list);
        list = next;
    }
}
int main(void)
{
    struct line *list = add(NULL, "one");
    list = add(list, "two  ");
    list = add(list, "   three");
    for (struct line *l = list; l; l = l->next)
        trim(l);
    show(list);
    discard(list);
    return 0;
}
