// Jobs with a plan each; a failed one is put into the queue again.
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <utility>

struct Plan {
    int steps = 0, done = 0;
    std::string name;
};

class Job {
public:
    Job(std::string name, int steps) : plan_(std::make_unique<Plan>()), tries_(0)
    {
        plan_->name = std::move(name);
        plan_->steps = steps;
    }
    __attribute__((noinline)) bool run()
    {
        tries_++;
        plan_->done += 2;
        return plan_->done >= plan_->steps;
    }
    int tries() const { return tries_; }
    std::unique_ptr<Plan> release() { return std::move(plan_); }

private:
    std::unique_ptr<Plan> plan_;
    int tries_;
};

class Queue {
public:
    void add(std::unique_ptr<Job> job) { jobs_.push_back(std::move(job)); }

    __attribute__((noinline)) void archive(Job &job)
    {
        done_.push_back(job.release()); /*!*/
    }

    __attribute__((noinline)) unsigned turn()
    {
        for (auto &job : jobs_)
            if (job->run())
                archive(*job);
        return static_cast<unsigned>(done_.size());
    }

private:
    std::deque<std::unique_ptr<Job>> jobs_;
    std::deque<std::unique_ptr<Plan>> done_;
};

int main()
{
    Queue queue;
    queue.add(std::make_unique<Job>("short", 3));
    queue.add(std::make_unique<Job>("long", 9));
    for (int i = 0; i < 4; i++)
        std::printf("%u done\n", queue.turn());
}
