#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

__attribute__((noinline)) static size_t measure(const char *text)
{
    return strlen(text) + 1;
}

int main(void)
{
    char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    mprotect(page + PAGE, PAGE, PROT_NONE);
    memset(page, 'x', PAGE);
    printf("%zu\n", measure(page + PAGE - 100));
    return 0;
}
