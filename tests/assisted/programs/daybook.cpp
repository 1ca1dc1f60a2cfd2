// A ledger that writes into one book a day.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Book {
    std::string day;
    std::vector<long> lines;
    long sum = 0;
    explicit Book(std::string day) : day(std::move(day)) {}
};

class Ledger {
public:
    __attribute__((noinline)) void open(const char *day)
    {
        if (book_)
            close();
        book_ = std::make_unique<Book>(day);
    }

    __attribute__((noinline)) void post(long amount)
    {
        book_->lines.push_back(amount);
        book_->sum += amount;
        if (book_->lines.size() == limit_)
            close();
    }

    __attribute__((noinline)) void close()
    {
        total_ += book_->sum;
        std::printf("%s: %ld\n", book_->day.c_str(), book_->sum);
        book_.reset();
    }

    long total() const { return total_; }

private:
    std::unique_ptr<Book> book_;
    std::size_t limit_ = 4;
    long total_ = 0;
};

int main()
{
    Ledger ledger;
    const char *days[] = {"monday", "tuesday"};
    const long amounts[2][6] = {{5, 7, 11, 0, 0, 0}, {3, 4, 5, 6, 7, 0}};
    for (int d = 0; d < 2; d++) {
        ledger.open(days[d]);
        for (long amount : amounts[d])
            if (amount)
                ledger.post(amount);
    }
    std::printf("%ld\n", ledger.total());
}
