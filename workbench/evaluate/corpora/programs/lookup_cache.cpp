#include <cstdio>
#include <map>
#include <mutex>
#include <shared_mutex>

class Cache {
public:
    __attribute__((noinline)) int square(int number)
    {
        std::shared_lock<std::shared_mutex> reading(guard_);
        auto found = known_.find(number);
        if (found != known_.end())
            return found->second;
        std::unique_lock<std::shared_mutex> writing(guard_);
        return known_[number] = number * number;
    }

private:
    std::shared_mutex guard_;
    std::map<int, int> known_;
};

int main()
{
    Cache cache;
    std::printf("%d\n", cache.square(3));
    return 0;
}
