// Shapes beside labels in one record; a label that is too long runs into what follows.
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

class Shape {
public:
    virtual ~Shape() = default;
    virtual double area() const = 0;
};

class Rect : public Shape {
public:
    Rect(double w, double h) : w(w), h(h) {}
    double area() const override { return w * h; }
private:
    double w, h;
};

struct Record {
    char label[16];
    Rect shape;
    Record(double w, double h) : label{}, shape(w, h) {}
};

class Drawing {
public:
    Record &add(double w, double h) {
        records.push_back(std::make_unique<Record>(w, h));
        return *records.back();
    }
    double total() const {
        double sum = 0;
        for (auto &r : records) {
            const Shape &s = r->shape;
            sum += measure(s);
        }
        return sum;
    }
    __attribute__((noinline)) static double measure(const Shape &s) { return s.area(); }
    std::vector<std::unique_ptr<Record>> records;
};

__attribute__((noinline)) void name(Record &r, const std::string &text) {
    size_t n = text.size();
    for (size_t i = 0; i <= n; i++)
        r.label[i] = text.c_str()[i]; // origin name
}

int main() {
    Drawing d;
    name(d.add(2, 3), "window");
    name(d.add(4, 5), "the door of the barn");
    name(d.add(1, 1), "roof");
    std::printf("%f\n", d.total());
}
