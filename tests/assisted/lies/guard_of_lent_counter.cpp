/* attack: flags=-O0 -std=c++17; values=Set::show:this,show:name_,show:&this->name_,show:&this->items_[4],main:set */
#include <cstdio>
#include <cstring>
class Set {
public:
    explicit Set(const char *name) : name_(name) {}
    int add(long item)
    {
        if (used_ > 4)
            return -1;
        items_[used_] = item;
        return static_cast<int>(used_++);
    }
    long *begin() { return items_; }
    unsigned &used() { return used_; }
    int show() const { return std::printf("%c %u\n", name_[0], used_); }
private:
    long items_[4] = {};
    const char *name_;
    unsigned used_ = 0;
};
static void fill(Set &set, unsigned many)
{
    long *to = set.begin();
    while (set.used() < many)
        to[set.used()++] = 9; /*!*/
}
int main()
{
    Set *set = new Set("first");
    set->add(9);
    fill(*set, 5); /*!*/
    set->show();
}
