#include <cstdio>
#include <functional>
#include <mutex>
#include <vector>

class Registry {
public:
    __attribute__((noinline)) void add(std::function<void(int)> listener)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        listeners_.push_back(std::move(listener));
    }
    __attribute__((noinline)) void notify(int value)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        for (auto &listener : listeners_)
            listener(value);
    }

private:
    std::mutex mutex_;
    std::vector<std::function<void(int)>> listeners_;
};

int main()
{
    Registry registry;
    registry.add([&registry](int value) {
        if (value > 3)
            registry.add([](int more) { std::printf("%d\n", more); });
    });
    registry.notify(2);
    registry.notify(5);
    return 0;
}
