#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Theme {
    std::uint32_t foreground;
    std::uint32_t background;
    int border;
};

class Strip {
public:
    Strip(const Theme *theme, int width) : width_(width), theme_(theme) { wipe(0); }

    void wipe(std::uint64_t value)
    {
        for (int cell = 0; cell < width_; cell++)
            cells_[cell] = value;
        dirty_ = true;
    }

    void put(int cell, std::uint64_t value)
    {
        if (cell < 0 || cell >= width_)
            return;
        cells_[cell] = value;
        dirty_ = true;
    }

    void shift(std::uint64_t fill)
    {
        for (int cell = 1; cell < width_; cell++)
            cells_[cell - 1] = cells_[cell];
        cells_[width_] = fill;
        dirty_ = true;
    }

    int width() const { return width_; }
    int paint() const;

private:
    int width_;
    bool dirty_ = false;
    std::uint64_t cells_[12];
    const Theme *theme_;
};

int Strip::paint() const
{
    int sum = theme_->border;
    for (int cell = 0; cell < width_; cell++)
        sum += static_cast<int>(cells_[cell] & 0xff);
    return sum;
}

class Display {
public:
    void add(const Theme *theme, int width) { strips_.emplace_back(theme, width); }
    void feed(std::uint64_t value);
    int paint() const;

private:
    std::vector<Strip> strips_;
    unsigned frames_ = 0;
};

void Display::feed(std::uint64_t value)
{
    for (Strip &strip : strips_) {
        if (frames_ % 3 == 2)
            strip.shift(value * 0x0101010101010101u);
        else
            strip.put(static_cast<int>(frames_ % 16), value);
    }
    frames_++;
}

int Display::paint() const
{
    int sum = 0;
    for (const Strip &strip : strips_)
        sum += strip.paint();
    return sum;
}

int main()
{
    static const Theme dark{0xffffff, 0x101010, 1};
    static const Theme light{0x000000, 0xf0f0f0, 2};
    Display display;
    display.add(&dark, 8);
    display.add(&light, 12);
    display.add(&dark, 10);
    for (std::uint64_t value = 65; value < 72; value++) {
        display.feed(value);
        std::printf("%d\n", display.paint());
    }
    return 0;
}
