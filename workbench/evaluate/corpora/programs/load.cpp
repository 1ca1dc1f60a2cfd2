#include <stdexcept>
#include <string>

__attribute__((noinline)) static int load(const std::string &name)
{
    if (name.size() > 3)
        throw std::runtime_error("cannot load " + name);
    return 0;
}

int main()
{
    return load("settings.ini");
}
