#include <cstdio>

struct Log {
    Log() { lines = new int[4](); }
    __attribute__((noinline)) void count(int line) { lines[line]++; }
    int *lines;
};

extern Log log_of_all;

struct Device {
    Device() { log_of_all.count(2); }
};

static Device device;
Log log_of_all;

int main()
{
    std::printf("%d\n", log_of_all.lines[2]);
    return 0;
}
