#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline)) static int row(const char *table, long index)
{
    return table[index * 64];
}

int main(void)
{
    int fd = open("table.bin", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char *table;

    if (fd < 0 || ftruncate(fd, 3 * 4096) != 0)
        return 1;
    table = mmap(NULL, 3 * 4096, PROT_READ, MAP_SHARED, fd, 0);
    if (table == MAP_FAILED || ftruncate(fd, 4096) != 0)
        return 1;
    printf("%d\n", row(table, 100));
    return 0;
}
