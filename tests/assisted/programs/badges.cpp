#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

struct Office {
    std::string city;
    int floor;
};

class Badge {
public:
    Badge(int number, const Office *office) : number_(number), office_(office)
    {
        std::strcpy(name_, "nobody");
        std::strcpy(role_, "guest");
    }

    void assign(const std::string &name)
    {
        std::snprintf(name_, sizeof name_, "%s", name.c_str());
    }

    void promote(const std::string &role)
    {
        std::strcpy(role_, role.c_str());
        level_++;
    }

    void move(const Office *office) { office_ = office; }
    int number() const { return number_; }
    int level() const { return level_; }
    const Office *office() const { return office_; }
    const char *name() const { return name_; }

private:
    int number_;
    int level_ = 0;
    char name_[24];
    char role_[16];
    const Office *office_;
};

class Desk {
public:
    explicit Desk(std::vector<Office> offices) : offices_(std::move(offices)) {}

    Badge *issue(const std::string &name, std::size_t office)
    {
        int number = 1000 + static_cast<int>(badges_.size());
        badges_.push_back(std::make_unique<Badge>(number, &offices_.at(office)));
        badges_.back()->assign(name);
        return badges_.back().get();
    }

    Badge *find(int number)
    {
        for (auto &badge : badges_)
            if (badge->number() == number)
                return badge.get();
        return nullptr;
    }

    __attribute__((noinline)) int highest() const
    {
        int best = 0;
        for (const auto &badge : badges_) {
            const Office *office = badge->office();
            if (office->floor > best)
                best = office->floor;
        }
        return best;
    }

private:
    std::vector<Office> offices_;
    std::vector<std::unique_ptr<Badge>> badges_;
};

static void promotions(Desk &desk, const std::vector<std::pair<int, std::string>> &list)
{
    for (const auto &[number, role] : list) {
        Badge *badge = desk.find(number);
        if (badge != nullptr && badge->level() < 3)
            badge->promote(role);
    }
}

int main()
{
    Desk desk({{"Porto", 2}, {"Turin", 5}, {"Ghent", 1}});
    desk.issue("Ana", 0);
    desk.issue("Bruno", 1);
    desk.issue("Chiara", 2);
    desk.issue("Daan", 1);
    std::printf("%d\n", desk.highest());
    promotions(desk, {{1000, "clerk"}, {1002, "head of purchasing"}, {1003, "driver"}});
    std::printf("%d\n", desk.highest());
    return 0;
}
