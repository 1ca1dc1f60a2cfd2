#include <algorithm>
#include <cstdio>
#include <vector>

struct Task {
    int priority;
    int *weight;
};

static bool before(const Task *left, const Task *right)
{
    return *left->weight >= *right->weight;
}

__attribute__((noinline)) static void order(std::vector<Task *> &tasks)
{
    std::sort(tasks.begin(), tasks.end(), before);
}

int main()
{
    static int weight = 4;
    std::vector<Task *> tasks;
    for (int at = 0; at < 64; at++)
        tasks.push_back(new Task{at, &weight});
    order(tasks);
    std::printf("%d\n", tasks[0]->priority);
    return 0;
}
