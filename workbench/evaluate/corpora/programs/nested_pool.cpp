#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

static pthread_barrier_t busy; /* the worst moment, every time */

class Pool {
public:
    explicit Pool(int size)
    {
        for (int at = 0; at < size; at++)
            workers_.emplace_back([this] { work(); });
    }
    ~Pool()
    {
        for (auto &worker : workers_)
            worker.join();
    }
    std::future<int> submit(std::function<int()> job)
    {
        auto task = std::make_shared<std::packaged_task<int()>>(std::move(job));
        auto result = task->get_future();
        {
            std::lock_guard<std::mutex> lock(mutex_);
            jobs_.push_back([task] { (*task)(); });
        }
        arrived_.notify_one();
        return result;
    }

private:
    void work()
    {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex_);
            arrived_.wait(lock, [this] { return !jobs_.empty(); });
            auto job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            job();
        }
    }

    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<std::function<void()>> jobs_;
    std::vector<std::thread> workers_;
};

__attribute__((noinline)) static int build_page(Pool &pool, int number)
{
    pthread_barrier_wait(&busy);
    auto part = pool.submit([number] { return number * 2; });
    return part.get() + 1;
}

int main()
{
    pthread_barrier_init(&busy, nullptr, 3);
    Pool pool(3);
    std::vector<std::future<int>> pages;
    for (int number = 0; number < 6; number++)
        pages.push_back(pool.submit([&pool, number] { return build_page(pool, number); }));
    for (auto &page : pages)
        std::printf("%d\n", page.get());
    return 0;
}
