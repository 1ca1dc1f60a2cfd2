// A constructor leaves a pointer out, in memory that another had given back.
#include <cstdio>
#include <functional>
#include <string>
#include <vector>
struct Log { std::vector<std::string> lines; void add(const std::string &s) { lines.push_back(s); } };
class Service {
    int id_;
    Log *log_;
    int uses_;
public:
    explicit Service(int id)
        : id_(id), uses_(0) // origin Service::Service
    {
    }
    Service(int id, Log &log) : id_(id), log_(&log), uses_(0) {}
    void use()
    {
        uses_++;
        if (uses_ > 2)
            log_->add("used " + std::to_string(id_));
    }
};
static void churn()
{
    std::vector<long *> all;
    for (int i = 0; i < 8; i++) {
        all.push_back(new long[3]);
        for (int k = 0; k < 3; k++) all.back()[k] = 0x3333000033330000 + i;
    }
    for (auto *one : all) delete[] one;
}
int main()
{
    Log log;
    churn();
    std::vector<Service *> all;
    all.push_back(new Service(1, log));
    all.push_back(new Service(2));
    for (int i = 0; i < 3; i++)
        for (auto *s : all) s->use();
    printf("%zu\n", log.lines.size());
}
