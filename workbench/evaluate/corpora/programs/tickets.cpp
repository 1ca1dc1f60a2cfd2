// Tickets are copied when a queue is split.
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

class Desk {
public:
    explicit Desk(int number) : number_(number) {}
    int number() const { return number_; }

private:
    int number_;
};

class Ticket {
public:
    Ticket(int id, Desk *desk) : id_(id), weight_(1), desk_(desk) {}
    Ticket(const Ticket &from) : id_(from.id_ + 100) { weight_ = from.weight_; }
    int id() const { return id_; }
    __attribute__((noinline)) int where() const { return desk_->number() * 10 + id_; }

private:
    int id_;
    long weight_;
    char note_[32];
    Desk *desk_;
};

static void greet(const char *name)
{
    auto text = std::make_unique<char[]>(sizeof(Ticket));
    std::snprintf(text.get(), sizeof(Ticket), "Welcome to the office, dear %s and others", name);
    std::puts(text.get());
}

static std::vector<std::unique_ptr<Ticket>> split(const std::vector<std::unique_ptr<Ticket>> &all)
{
    std::vector<std::unique_ptr<Ticket>> half;
    half.reserve(all.size());
    for (size_t i = 0; i < all.size(); i += 2)
        half.push_back(std::make_unique<Ticket>(*all[i]));
    return half;
}

int main(int argc, char **argv)
{
    Desk one(1), two(2);
    std::vector<std::unique_ptr<Ticket>> queue;
    for (int i = 0; i < 4; i++)
        queue.push_back(std::make_unique<Ticket>(i, i % 2 ? &one : &two));
    greet(argc > 1 ? argv[1] : "Mrs. Robinson of 12");
    auto half = split(queue);
    int sum = 0;
    for (const auto &ticket : queue)
        sum += ticket->where();
    std::printf("%d\n", sum);
    for (const auto &ticket : half)
        sum += ticket->where();
    std::printf("%d\n", sum);
    return 0;
}
