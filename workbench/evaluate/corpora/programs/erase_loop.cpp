#include <cstdio>
#include <list>

struct Job {
    int id;
    bool done;
};

__attribute__((noinline)) static int sweep(std::list<Job> &jobs)
{
    int left = 0;
    for (auto job = jobs.begin(); job != jobs.end(); ++job) {
        if (job->done)
            jobs.erase(job);
        else
            left += job->id;
    }
    return left;
}

int main()
{
    std::list<Job> jobs = {{1, false}, {2, true}, {3, false}, {4, true}};
    std::printf("%d\n", sweep(jobs));
    return 0;
}
