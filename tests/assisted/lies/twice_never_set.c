/* attack: flags=-O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct note {
    int id;
    struct note *next;
    char *text;
};

static struct note *note_new(int id, const char *text)
{
    struct note *note = malloc(sizeof *note);

    note->id = id;
    note->next = NULL;
    if (text != NULL)
        note->text = strdup(text);
    return note;
}

static void note_free(struct note *note)
{
    free(note->text);
    free(note);
}

int main(void)
{
    struct note *one = note_new(1, "the text of the first note");

    printf("%s\n", one->text);
    note_free(one);
    one = note_new(2, NULL);
    note_free(one);
    return 0;
}
