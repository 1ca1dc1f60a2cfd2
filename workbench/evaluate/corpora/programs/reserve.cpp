#include <cstdio>
#include <vector>

__attribute__((noinline)) static std::vector<double> allocate(long rows, long columns)
{
    std::vector<double> cells;
    cells.reserve(static_cast<std::size_t>(rows) * columns);
    return cells;
}

int main(int argc, char **)
{
    std::printf("%zu\n", allocate(10, 10).capacity());
    std::printf("%zu\n", allocate(1L << 30, argc << 29).capacity());
    return 0;
}
