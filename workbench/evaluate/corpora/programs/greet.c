#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static size_t greet(const char *title, const char *name)
{
    char line[32];

    sprintf(line, "Dear %s %s, welcome back", title, name);
    return strlen(line);
}

int main(void)
{
    printf("%zu\n", greet("Dr", "Li"));
    printf("%zu\n", greet("Professor", "Wolfeschlegelsteinhausenbergerdorff"));
    return 0;
}
