// A wheel of timers: slots hold the first timer that is due, free timers form a list.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

constexpr std::uint32_t kNone = 0xffffffff;
constexpr std::size_t kSlots = 16;

struct Timer {
    std::uint64_t due;
    std::uint32_t next;
    std::uint32_t owner;
    void (*expired)(std::uint32_t owner);
};

class Wheel {
public:
    explicit Wheel(std::uint32_t timers);
    std::uint32_t arm(std::uint64_t due, std::uint32_t owner, void (*expired)(std::uint32_t));
    unsigned turn(std::uint64_t now);
    void reset();

private:
    Timer &take();
    void give_back(std::uint32_t number);

    std::uint64_t now_ = 0;
    std::uint32_t slots_[kSlots];
    std::uint32_t free_;
    std::uint32_t armed_ = 0;
    std::unique_ptr<Timer[]> timers_;
    std::uint32_t count_;
};

Wheel::Wheel(std::uint32_t timers) : timers_(new Timer[timers]()), count_(timers)
{
    reset();
    for (std::uint32_t at = 0; at < timers; at++)
        timers_[at].next = at + 1 < timers ? at + 1 : kNone;
    free_ = 0;
}

void Wheel::reset()
{
    for (std::size_t slot = 0; slot <= kSlots; slot++)
        slots_[slot] = kNone;
    armed_ = 0;
}

Timer &Wheel::take()
{
    Timer &timer = timers_[free_];
    free_ = timer.next;
    armed_++;
    return timer;
}

void Wheel::give_back(std::uint32_t number)
{
    timers_[number].next = free_;
    free_ = number;
    armed_--;
}

std::uint32_t Wheel::arm(std::uint64_t due, std::uint32_t owner, void (*expired)(std::uint32_t))
{
    std::size_t slot = due % kSlots;
    std::uint32_t number = free_;
    Timer &timer = take();

    timer.due = due;
    timer.owner = owner;
    timer.expired = expired;
    timer.next = slots_[slot];
    slots_[slot] = number;
    return number;
}

unsigned Wheel::turn(std::uint64_t now)
{
    unsigned fired = 0;

    for (; now_ < now; now_++) {
        std::uint32_t *link = &slots_[now_ % kSlots];
        while (*link != kNone) {
            std::uint32_t number = *link;
            Timer &timer = timers_[number];
            if (timer.due > now) {
                link = &timer.next;
                continue;
            }
            *link = timer.next;
            timer.expired(timer.owner);
            give_back(number);
            fired++;
        }
    }
    return fired;
}

struct Connection {
    std::uint32_t number;
    std::uint64_t idle;
};

static void close_idle(std::uint32_t owner)
{
    std::printf("connection %u is idle\n", owner);
}

static void watch(Wheel &wheel, const std::vector<Connection> &connections, std::uint64_t now)
{
    for (const Connection &connection : connections)
        wheel.arm(now + connection.idle, connection.number, close_idle);
}

int main()
{
    Wheel wheel(32);
    std::vector<Connection> day = {{1, 3}, {2, 5}, {3, 20}};
    std::vector<Connection> night = {{7, 40}, {8, 50}};

    watch(wheel, day, 0);
    std::printf("%u fired\n", wheel.turn(10));
    wheel.reset();
    watch(wheel, night, 10);
    std::printf("%u fired\n", wheel.turn(100));
    return 0;
}
