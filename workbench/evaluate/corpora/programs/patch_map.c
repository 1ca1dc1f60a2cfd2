#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline)) static void stamp(char *header, const char *version)
{
    memcpy(header, version, 16);
}

int main(void)
{
    int fd = open("header.bin", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char *map;

    if (fd < 0 || write(fd, "version 1.0.0 release", 21) != 21)
        return 1;
    map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    stamp(map, "version 1.0.1 rc");
    printf("%.21s\n", map);
    return 0;
}
