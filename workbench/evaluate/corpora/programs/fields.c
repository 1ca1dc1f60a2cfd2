#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct field {
    char name[16];
    struct field *next;
    int length;
};

__attribute__((noinline)) static struct field *parse(const char *text, struct field *next)
{
    struct field *field = calloc(1, sizeof *field);

    field->next = next;
    strcpy(field->name, text);
    field->length = strlen(text);
    return field;
}

__attribute__((noinline)) static int total(const struct field *field)
{
    int sum = 0;

    for (; field != NULL; field = field->next)
        sum += field->length;
    return sum;
}

int main(void)
{
    struct field *fields = parse("customer", NULL);

    fields = parse("delivery_address_line_2", fields);
    fields = parse("city", fields);
    printf("%d\n", total(fields));
    return 0;
}
