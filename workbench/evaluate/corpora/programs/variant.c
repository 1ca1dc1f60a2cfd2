#include <stdio.h>
#include <string.h>

struct value {
    enum { NUMBER, TEXT } kind;
    union {
        double number;
        const char *text;
    };
};

__attribute__((noinline)) static size_t width(const struct value *value)
{
    return strlen(value->text);
}

int main(void)
{
    struct value name = {TEXT, {.text = "width"}};
    struct value price = {NUMBER, {.number = 3.25}};

    printf("%zu\n", width(&name));
    printf("%zu\n", width(&price));
    return 0;
}
