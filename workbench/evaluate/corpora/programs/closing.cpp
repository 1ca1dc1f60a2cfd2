#include <stdexcept>

__attribute__((noinline)) static void flush(int pending)
{
    if (pending > 0)
        throw std::logic_error("still pending");
}

__attribute__((noinline)) static void finish(int pending) noexcept
{
    flush(pending);
}

int main(int argc, char **)
{
    try {
        finish(argc);
    } catch (...) {
        return 1;
    }
}
