/* attack: flags=-O0 -std=c++17 */
// Articles of a store and the orders for them.
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Article {
    std::string name;
    int cents;
    int left;
};

class Store {
public:
    void add(int number, std::string name, int cents, int left)
    {
        articles_[number] = std::make_unique<Article>(Article{std::move(name), cents, left});
    }
    Article *find(int number)
    {
        auto found = articles_.find(number);
        if (found == articles_.end())
            return nullptr;
        return found->second.get();
    }
    int discontinue()
    {
        int gone = 0;
        for (auto &one : articles_) {
            auto &article = one.second;
            if (article->left == 0) {
                article = nullptr; /*!*/
                gone++;
            }
        }
        return gone;
    }

private:
    std::map<int, std::unique_ptr<Article>> articles_;
};

class Order {
public:
    void line(int number, int count) { lines_.push_back({number, count}); }
    int total(Store &store) const
    {
        int sum = 0;
        for (const auto &line : lines_) {
            Article *article = store.find(line.number);
            sum += article->cents * line.count;
            article->left -= line.count;
        }
        return sum;
    }

private:
    struct Line {
        int number, count;
    };
    std::vector<Line> lines_;
};

int main()
{
    Store store;
    store.add(10, "pencil", 80, 100);
    store.add(11, "rubber", 120, 2);
    store.add(12, "ruler", 300, 5);
    Order first, second;
    first.line(10, 10);
    first.line(11, 2);
    second.line(12, 1);
    second.line(11, 1);
    std::cout << first.total(store) << "\n";
    std::cout << store.discontinue() << " gone\n";
    std::cout << second.total(store) << "\n";
}
