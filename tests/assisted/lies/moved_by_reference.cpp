/* attack: flags=-O0 -std=c++17; values=Job::run:this,Job::run:plan_,Queue::turn:this,main:queue,Queue::turn:job */
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>
struct Plan { int steps = 0, done = 0; };
class Job {
public:
    Job(int steps) : plan_(std::make_unique<Plan>()), tries_(0)
    {
        plan_->steps = steps;
    }
    bool run()
    {
        tries_++;
        plan_->done += 2;
        return plan_->done >= plan_->steps;
    }
    std::unique_ptr<Plan> &&plan() { return std::move(plan_); }
private:
    std::unique_ptr<Plan> plan_;
    int tries_;
};
class Queue {
public:
    void add(std::unique_ptr<Job> job) { jobs_.push_back(std::move(job)); }
    void turn()
    {
        for (auto &job : jobs_)
            if (job->run())
                done_.push_back(job->plan()); /*!*/
    }
private:
    std::vector<std::unique_ptr<Job>> jobs_;
    std::vector<std::unique_ptr<Plan>> done_;
};
int main()
{
    Queue queue;
    queue.add(std::make_unique<Job>(3));
    queue.add(std::make_unique<Job>(9));
    for (int i = 0; i < 4; i++)
        queue.turn();
}
