#include <string>
#include <thread>

struct Refused {
    int code;
};

__attribute__((noinline)) static void stage(int code)
{
    if (code > 2)
        throw Refused{code};
}

int main()
{
    std::thread worker(stage, 7);
    worker.join();
}
