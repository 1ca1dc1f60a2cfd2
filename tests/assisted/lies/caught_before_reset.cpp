/* attack: flags=-O0 -std=c++17; values=Ledger::post:this,Ledger::post:book_,main:ledger,main:other */
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>
struct Book { long sum = 0; };
class Ledger {
public:
    void open() { book_ = std::make_unique<Book>(); }
    void post(long amount)
    {
        book_->sum += amount;
    }
    void close(bool full)
    {
        total_ += book_->sum;
        check(full);
        book_.reset();
    }
    std::unique_ptr<Book> &book() { return book_; }
private:
    static void check(bool full) { if (full) throw std::runtime_error("full"); }
    std::unique_ptr<Book> book_;
    long total_ = 0;
};
static void keep(std::unique_ptr<Book> &one, std::unique_ptr<Book> &other)
{
    other = std::move(one); /*!*/
}
int main()
{
    Ledger ledger;
    std::unique_ptr<Book> kept;
    ledger.open();
    ledger.post(7);
    try { ledger.close(true); } catch (const std::exception &e) { std::puts(e.what()); }
    keep(ledger.book(), kept);
    ledger.post(4);
}
