// Glyph runs of a text layouter: offsets into a table of advances.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Range { int32_t first, last; int32_t base; };

class Font {
public:
    Font() {
        addRange(32, 127);
        addRange(160, 256);
        advances.assign(total, 7);
    }
    void addRange(int first, int last) {
        ranges.push_back({first, last, total - first});
        total += last - first;
    }
    const Range *rangeOf(int code) const {
        for (auto &r : ranges)
            if (code < r.last)
                return &r;
        return nullptr;
    }
    int advance(long glyph) const { return advances.data()[glyph]; }
private:
    std::vector<Range> ranges;
    std::vector<int> advances;
    int32_t total = 0;
};

struct Glyph { long index; int x; };

class Layout {
public:
    explicit Layout(const Font &f) : font(f) {}
    void shape(const std::string &text, long shift) {
        for (unsigned char c : text) {
            const Range *r = font.rangeOf(c);
            Glyph g{};
            g.index = (c + r->base) * shift; // origin Layout::shape
            run.push_back(g);
        }
    }
    int place() {
        int x = 0;
        for (auto &g : run) {
            g.x = x;
            x += font.advance(g.index);
        }
        return x;
    }
private:
    const Font &font;
    std::vector<Glyph> run;
};

int main() {
    Font font;
    Layout plain(font);
    plain.shape("hello world", 1);
    std::printf("%d\n", plain.place());
    Layout tabbed(font);
    tabbed.shape("a\tb\tc", 1000000);
    std::printf("%d\n", tabbed.place());
}
