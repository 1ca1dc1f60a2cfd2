// A worker is given the address of a local of the function that starts it. flags: -g -O1 -pthread -Wl,-z,now
#include <atomic>
#include <cstdio>
#include <fcntl.h>
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

// The kernel writes over what `start` left: no watchpoint sees that.
static int __attribute__((noinline)) busy() {
    char room[1024];
    int zeros = open("/dev/zero", O_RDONLY);
    return static_cast<int>(read(zeros, room, sizeof room)) + room[1];
}

int main() {
    int out[2] = {0, 0};
    std::string one = "one";
    start(1, one, &out[0]);
    std::printf("%d\n", busy());
    go = 1;
    for (auto &w : workers)
        w.join();
    std::printf("%d %d\n", out[0], out[1]);
}
