#include <cstdio>
#include <vector>

__attribute__((noinline)) static int nth(const std::vector<int> &values, std::size_t at)
{
    return values[at];
}

int main(int argc, char **)
{
    std::vector<int> values = {2, 3, 5, 7};
    std::printf("%d\n", nth(values, argc + 3));
    return 0;
}
