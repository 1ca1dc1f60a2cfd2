#include <cstdio>
#include <cstdlib>
#include <string>

__attribute__((noinline)) static void fatal(const std::string &what)
{
    std::fprintf(stderr, "FATAL: %s\n", what.c_str());
    std::abort();
}

__attribute__((noinline)) static int open_shard(int number)
{
    if (number > 3)
        fatal("shard " + std::to_string(number) + " has no manifest");
    return number;
}

int main()
{
    int sum = 0;
    for (int number = 0; number < 6; number++)
        sum += open_shard(number);
    return sum;
}
