#include <atomic>
#include <cstdio>
#include <thread>

static std::thread first, second;
static std::atomic<bool> started;

__attribute__((noinline)) static void stop(std::thread &other)
{
    while (!started)
        std::this_thread::yield();
    other.join();
}

int main()
{
    first = std::thread([] { stop(second); });
    second = std::thread([] { stop(first); });
    started = true;
    while (first.joinable())
        std::this_thread::sleep_for(std::chrono::hours(1));
    return 0;
}
