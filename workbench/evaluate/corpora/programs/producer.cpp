#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static bool ready;

static void produce()
{
    ready = true;
    changed.notify_one();
}

__attribute__((noinline)) static void consume()
{
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock);
    std::puts("ready");
}

int main()
{
    std::thread producer(produce);
    producer.join();
    std::thread consumer(consume);
    consumer.join();
    return 0;
}
