#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Account {
    std::mutex gate;
    long cents = 0;
    int number = 0;
};

struct Audit {
    std::mutex gate;
    std::vector<std::string> lines;
};

static Account accounts[3];
static Audit audit;
static std::atomic<int> inside;

static void note(const char *what)
{
    std::lock_guard<std::mutex> held(audit.gate);
    audit.lines.push_back(what);
}

static void transfer(Account &from, Account &to, long cents)
{
    std::lock_guard<std::mutex> first(from.gate);
    for (++inside; inside < 2;)
        std::this_thread::yield();
    std::lock_guard<std::mutex> second(to.gate);
    from.cents -= cents;
    to.cents += cents;
}

static void pay_rent()
{
    note("rent");
    transfer(accounts[0], accounts[1], 900);
}

static void refund()
{
    note("refund");
    transfer(accounts[1], accounts[0], 50);
}

static void tick()
{
    for (int at = 0; at < 100000; at++) {
        std::lock_guard<std::mutex> held(accounts[2].gate);
        accounts[2].cents++;
        std::this_thread::sleep_for(std::chrono::seconds(20));
    }
}

int main()
{
    std::thread clock(tick), one(pay_rent), other(refund);
    one.join();
    other.join();
    clock.join();
    std::printf("%ld\n", accounts[0].cents);
    return 0;
}
