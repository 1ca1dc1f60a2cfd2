#include <cstdio>
#include <cstring>

class Widget {
public:
    Widget() { std::memset(static_cast<void *>(this), 0, sizeof *this); }
    virtual ~Widget() = default;
    virtual int width() const { return width_; }

private:
    int width_, height_;
};

__attribute__((noinline)) static int measure(const Widget *widget)
{
    return widget->width() + 2;
}

int main()
{
    Widget *widget = new Widget;
    std::printf("%d\n", measure(widget));
    return 0;
}
