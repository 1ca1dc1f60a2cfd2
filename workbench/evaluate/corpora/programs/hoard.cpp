#include <string>
#include <sys/resource.h>
#include <vector>

static std::vector<std::string *> lines;

__attribute__((noinline)) static void remember(int number)
{
    lines.push_back(new std::string(1000, char('a' + number % 26)));
}

int main()
{
    rlimit limit = {80 << 20, 80 << 20};
    setrlimit(RLIMIT_AS, &limit);
    for (int number = 0;; number++)
        remember(number);
}
