/* attack: flags=-O0 -std=c++17; values=Desk::use:this,Desk::use:pen_,main:desk */
#include <cstdio>
#include <memory>
#include <utility>
struct Pen { int ink = 3; };
class Box {
public:
    bool put(std::unique_ptr<Pen> &&pen)
    {
        if (full_)
            return false;
        pen_ = std::move(pen);
        full_ = true;
        return true;
    }
private:
    bool full_ = false;
    std::unique_ptr<Pen> pen_;
};
class Desk {
public:
    Desk() : pen_(std::make_unique<Pen>()) {}
    void use() { pen_->ink--; }
    void tidy(Box &box)
    {
        box.put(std::move(pen_));
        tidied_++;
    }
    void lend(std::unique_ptr<Pen> &to)
    {
        to.swap(pen_); /*!*/
    }
private:
    std::unique_ptr<Pen> pen_;
    int tidied_ = 0;
};
int main()
{
    Box box;
    box.put(std::make_unique<Pen>());
    Desk desk;
    std::unique_ptr<Pen> mine;
    desk.use();
    desk.tidy(box);
    desk.use();
    desk.lend(mine);
    desk.use();
}
