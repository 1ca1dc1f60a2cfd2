// Makes documents out of templates and prints them at the end of the day.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

class Stamp {
public:
    virtual ~Stamp() = default;
    virtual int print(char *out, std::size_t room, int number) const = 0;
};

class DateStamp : public Stamp {
public:
    explicit DateStamp(int day) : day_(day) {}
    int print(char *out, std::size_t room, int number) const override
    {
        return std::snprintf(out, room, "day %d, no. %d", day_, number);
    }

private:
    int day_;
};

struct Template {
    const char *title;
    long price;
    int copies;
};

class Invoice {
public:
    Invoice(int number, const char *customer, const Stamp *stamp);
    Invoice(int number, const Template &from);
    void add(long amount) { sum_ += amount; }
    long sum() const { return sum_; }
    int show(char *out, std::size_t room) const;

private:
    int number_;
    int copies_;
    long sum_;
    char customer_[40];
    const Stamp *stamp_;
    char note_[32];
};

__attribute__((noinline)) Invoice::Invoice(int number, const char *customer, const Stamp *stamp)
    : number_(number), copies_(1), sum_(0), stamp_(stamp)
{
    std::snprintf(customer_, sizeof customer_, "%s", customer);
    note_[0] = '\0';
}

__attribute__((noinline)) Invoice::Invoice(int number, const Template &from)
    : number_(number), copies_(from.copies), sum_(from.price)
{
    std::snprintf(customer_, sizeof customer_, "standing order: %s", from.title);
    note_[0] = '\0';
}

__attribute__((noinline)) int Invoice::show(char *out, std::size_t room) const
{
    int length = std::snprintf(out, room, "%s: %ld", customer_, sum_);
    if (stamp_ != nullptr)
        length += stamp_->print(out + length, room - static_cast<std::size_t>(length), number_);
    return length;
}

class Day {
public:
    __attribute__((noinline)) void order(const char *line);
    __attribute__((noinline)) void standing(const Template &from);
    __attribute__((noinline)) long close();

private:
    DateStamp stamp_{17};
    int next_ = 100;
    std::vector<std::unique_ptr<Invoice>> invoices_;
};

void Day::order(const char *line)
{
    std::size_t length = std::strlen(line) + 1;
    char *copy = new char[length];
    std::memcpy(copy, line, length);
    char *amount = std::strchr(copy, ';');
    if (amount != nullptr) {
        *amount++ = '\0';
        auto invoice = std::make_unique<Invoice>(next_++, copy, &stamp_);
        invoice->add(std::strtol(amount, nullptr, 10));
        invoices_.push_back(std::move(invoice));
    }
    delete[] copy;
}

void Day::standing(const Template &from)
{
    invoices_.push_back(std::make_unique<Invoice>(next_++, from));
}

long Day::close()
{
    char out[120];
    long total = 0;

    for (const auto &invoice : invoices_) {
        invoice->show(out, sizeof out);
        std::puts(out);
        total += invoice->sum();
    }
    return total;
}

int main()
{
    static const Template rent{"rent of the hall", 4500, 2};
    Day day;

    day.order("Miller;350;sacks");
    day.order("Baker & Sons;1200;two crates of flour, to be delivered before six in the"
              " morning at the yard");
    day.standing(rent);
    std::printf("%ld\n", day.close());
    return 0;
}
