#include <unistd.h>
#include <vector>

class Event {
public:
    explicit Event(long at) : at_(at) {}
    virtual ~Event() = default;
    long at() const { return at_; }

private:
    long at_;
    long detail_[11] = {};
};

static std::vector<Event *> events;

__attribute__((noinline)) static void rest()
{
    for (;;)
        pause();
}

int main()
{
    for (long at = 0; at < 150000; at++)
        events.push_back(new Event(at));
    rest();
    return events[0]->at();
}
