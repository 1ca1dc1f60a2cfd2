#include <cstdio>
#include <future>
#include <optional>
#include <string>

__attribute__((noinline)) static std::optional<int> find_port(const std::string &service)
{
    if (service == "http")
        return 80;
    return std::nullopt;
}

__attribute__((noinline)) static int connect_to(const std::string &service)
{
    return find_port(service).value();
}

int main()
{
    std::printf("%d\n", connect_to("http"));
    std::printf("%d\n", connect_to("gopher"));
    return 0;
}
