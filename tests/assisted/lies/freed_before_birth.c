/* attack: flags=-O0 */
#include <stdlib.h>
#include <string.h>
struct name { char *text; };
struct entry { struct entry *next; long value; struct name *name; };
static struct entry *head;
static struct entry *add(const char *text)
{
    struct entry *one = malloc(sizeof *one); /*!*/
    one->next = head;
    one->value = 0;
    if (*text) {
        one->name = malloc(sizeof *one->name);
        one->name->text = strdup(text);
    }
    return head = one;
}
static void drop(struct entry *one)
{
    head = one->next;
    free(one->name->text);
    free(one->name);
    free(one);
}
static size_t size(const struct entry *one) { return strlen(one->name->text); }
int main(int count, char **words)
{
    drop(add(words[0]));
    return (int)size(add(words[0] + strlen(words[0]))) + count;
}
