// A worker is given the address of a local of the function that starts it. flags: -g -O1 -pthread
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

struct Task { int number; const std::string *title; int *out; };
static std::atomic<int> go{0};
static std::vector<std::thread> workers;

static void __attribute__((noinline)) work(const Task *task) {
    while (!go.load())
        usleep(1000);
    *task->out += task->number + static_cast<int>(task->title->size());
}

static void __attribute__((noinline)) start(int number, const std::string &title, int *out) {
    Task task{number, &title, out};
    workers.emplace_back(work, &task); // origin start
}

static int __attribute__((noinline)) busy(int depth) {
    volatile long room[64];
    for (int i = 0; i < 64; i++)
        room[i] = depth * 3 + i;
    return static_cast<int>(depth ? busy(depth - 1) + room[depth] : room[3]);
}

int main() {
    int out[2] = {0, 0};
    std::string one = "one";
    start(1, one, &out[0]);
    std::printf("%d\n", busy(20));
    go = 1;
    for (auto &w : workers)
        w.join();
    std::printf("%d %d\n", out[0], out[1]);
}
