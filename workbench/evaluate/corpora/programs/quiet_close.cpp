#include <cstdio>
#include <stdexcept>

class File {
public:
    __attribute__((noinline)) void close() noexcept { flush(); }

private:
    __attribute__((noinline)) void flush() { throw std::runtime_error("no space left on device"); }
};

int main()
{
    File file;
    try {
        file.close();
    } catch (const std::exception &error) {
        std::puts(error.what());
    }
    return 0;
}
