// Items of an inventory; the dearest one is remembered while others come in.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Maker {
    std::string name;
    int country;
};

struct Item {
    std::uint64_t price;
    const Maker *maker;
    std::uint32_t number;
    std::uint32_t count;
};

class Inventory {
public:
    void add(const Maker &maker, std::uint64_t price, std::uint32_t count)
    {
        items_.push_back(Item{price, &maker, next_++, count});
        if (best_ == nullptr || price > best_->price)
            best_ = &items_.back();
    }
    int country_of_best() const { return best_->maker->country; }
    std::uint64_t total() const
    {
        std::uint64_t sum = 0;
        for (const Item &item : items_)
            sum += item.price * item.count;
        return sum;
    }
    std::string list() const
    {
        std::string text;
        for (const Item &item : items_)
            text += item.maker->name + ' ' + std::to_string(item.number) + '\n';
        return text;
    }

private:
    std::vector<Item> items_;
    Item *best_ = nullptr;
    std::uint32_t next_ = 1;
};

int main()
{
    const Maker north{"Northern Tools", 46}, south{"Southern Parts", 39};
    Inventory inventory;

    inventory.add(north, 900, 3);
    inventory.add(south, 1200, 1);
    std::printf("%d\n", inventory.country_of_best());
    inventory.add(north, 300, 7);
    inventory.add(south, 450, 2);
    inventory.add(north, 80, 40);
    std::printf("%s", inventory.list().c_str());
    std::printf("%llu\n", (unsigned long long)inventory.total());
    std::printf("%d\n", inventory.country_of_best());
}
