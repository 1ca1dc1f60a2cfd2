#include <stdio.h>

__attribute__((noinline)) static void capitalise(char *text)
{
    if (text[0] >= 'a' && text[0] <= 'z')
        text[0] -= 'a' - 'A';
}

int main(void)
{
    char *greeting = "hello";

    capitalise(greeting);
    puts(greeting);
    return 0;
}
