#include <cstdio>
#include <map>
#include <string>

__attribute__((noinline)) static int lookup(const std::map<std::string, int> &all, const char *key)
{
    return all.at(key);
}

int main()
{
    std::map<std::string, int> all{{"one", 1}, {"two", 2}};
    std::printf("%d\n", lookup(all, "three"));
}
