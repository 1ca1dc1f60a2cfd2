#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

__attribute__((noinline)) static std::vector<char> load_index(const char *map, std::size_t size)
{
    std::vector<char> copy(size);
    std::memcpy(copy.data(), map, size);
    return copy;
}

int main()
{
    int fd = open("index.bin", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ftruncate(fd, 16384) != 0)
        return 1;
    auto *map = static_cast<char *>(mmap(nullptr, 16384, PROT_READ, MAP_SHARED, fd, 0));
    if (ftruncate(fd, 4096) != 0)
        return 1;
    std::printf("%zu\n", load_index(map, 16384).size());
    return 0;
}
