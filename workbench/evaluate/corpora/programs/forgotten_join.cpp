#include <chrono>
#include <cstdio>
#include <thread>

static void watch()
{
    std::this_thread::sleep_for(std::chrono::seconds(20));
}

__attribute__((noinline)) static bool start(bool ready)
{
    std::thread watcher(watch);
    if (!ready)
        return false;
    watcher.join();
    return true;
}

int main(int argc, char **)
{
    std::printf("%d\n", start(argc > 1));
    return 0;
}
