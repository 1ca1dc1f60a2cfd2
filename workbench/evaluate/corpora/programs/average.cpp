#include <cstdio>
#include <string>
#include <vector>

__attribute__((noinline)) static std::size_t average(const std::vector<std::string> &words)
{
    std::size_t letters = 0;
    for (const auto &word : words)
        letters += word.size();
    return letters / words.size();
}

int main()
{
    std::printf("%zu\n", average({"alpha", "beta"}));
    std::printf("%zu\n", average({}));
    return 0;
}
