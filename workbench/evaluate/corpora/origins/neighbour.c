/* More digits than the field has room for run into the pointer beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct scan { char id[16]; const char *source; int count; };
__attribute__((noinline)) static void format_id(char *into, unsigned long n, int wide)
{
    for (int i = wide - 1; i >= 0; i--) {
        into[i] = "0123456789abcdef"[n & 15]; /* origin format_id */
        n >>= 4;
    }
}
__attribute__((noinline)) static int lines(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}
__attribute__((noinline)) static int scan(const char *text, unsigned long n, int wide)
{
    struct scan s = {.source = text};
    format_id(s.id, n, wide);
    s.count = lines(s.source);
    printf("%.16s %d\n", s.id, s.count);
    return s.count;
}
int main(int argc, char **argv)
{
    int sum = scan("a\nb\n", 0xabcdef, 8);
    sum += scan("c\n", 0xabcdef, 16);
    sum += scan("d\ne\n", 0x1234567, 20 + argc - 1);
    return sum == 0 && argv == NULL;
}
