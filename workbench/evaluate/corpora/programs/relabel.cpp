// The label's bytes are written over the whole shape, its table of virtual functions included.
#include <cstdio>
#include <cstring>

struct Shape {
    virtual ~Shape() {}
    virtual int area() const { return side; }
    int side = 3;
    char label[24] = "";
};

struct Square : Shape {
    int area() const override { return side * side; }
};

__attribute__((noinline)) static void relabel(Shape *shape, char letter) {
    memset(static_cast<void *>(shape), letter, sizeof shape->label);
}

__attribute__((noinline)) static int total(Shape **shapes, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) sum += shapes[i]->area();
    return sum;
}

int main() {
    Shape *shapes[] = {new Square, new Square, new Square};
    relabel(shapes[1], 'q');
    printf("%d\n", total(shapes, 3));
}
