#include <cstdio>
#include <string>

__attribute__((noinline)) static int parse_port(const std::string &text)
{
    return std::stoi(text.substr(text.find(':') + 1));
}

int main()
{
    std::printf("%d\n", parse_port("localhost:8080"));
    std::printf("%d\n", parse_port("localhost"));
    return 0;
}
