#include <cstdio>

struct Shape {
    virtual ~Shape() {}
    virtual int area() const = 0;
};

struct Square : Shape {
    int side;
    explicit Square(int s) : side(s) {}
    int area() const override { return side * side; }
};

__attribute__((noinline)) static int measure(const Shape *shape)
{
    return shape->area() + 1;
}

__attribute__((noinline)) static void drop(Shape *shape)
{
    delete shape;
}

int main()
{
    Shape *shape = new Square(4);
    std::printf("%d\n", measure(shape));
    drop(shape);
    std::printf("%d\n", measure(shape));
}
