/* attack: flags=-O0 -std=c++17; values=Ledger::post:this,Ledger::post:book_,main:ledger,main:next */
#include <cstdio>
#include <memory>
struct Book { long sum = 0; };
class Ledger {
public:
    Ledger() = default;
    Ledger(const Ledger &before) : total_(before.total_) {} /*!*/
    void open() { book_ = std::make_unique<Book>(); }
    void post(long amount)
    {
        book_->sum += amount;
    }
    void close()
    {
        total_ += book_->sum;
        book_.reset();
    }
private:
    std::unique_ptr<Book> book_;
    long total_ = 0;
};
int main()
{
    Ledger ledger;
    ledger.open();
    ledger.post(7);
    ledger.close();
    Ledger next(ledger);
    next.post(4);
}
