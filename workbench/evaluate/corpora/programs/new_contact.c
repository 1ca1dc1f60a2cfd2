#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct contact {
    int id;
    int group;
    char *phone;
    char *mail;
};

__attribute__((noinline)) static int width_of(const char *text)
{
    char *line = malloc(24);
    int width = snprintf(line, 24, "| %s |", text);

    free(line);
    return width;
}

__attribute__((noinline)) static struct contact *add(int id)
{
    struct contact *contact = malloc(sizeof *contact);

    contact->id = id;
    contact->group = 1;
    contact->phone = "none";
    return contact;
}

__attribute__((noinline)) static int has_mail(const struct contact *contact)
{
    return contact->mail != NULL && contact->mail[0] != '\0';
}

int main(void)
{
    printf("%d\n", width_of("Name of the contact"));
    printf("%d\n", has_mail(add(7)));
    return 0;
}
