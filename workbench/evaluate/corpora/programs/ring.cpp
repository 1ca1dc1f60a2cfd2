#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

static std::mutex forks[3];
static pthread_barrier_t seated;

__attribute__((noinline)) static void dine(int seat)
{
    std::lock_guard<std::mutex> mine(forks[seat]);
    pthread_barrier_wait(&seated);
    std::lock_guard<std::mutex> other(forks[(seat + 1) % 3]);
}

int main()
{
    pthread_barrier_init(&seated, nullptr, 3);
    std::vector<std::thread> all;
    for (int seat = 0; seat < 3; seat++)
        all.emplace_back(dine, seat);
    for (auto &each : all)
        each.join();
}
