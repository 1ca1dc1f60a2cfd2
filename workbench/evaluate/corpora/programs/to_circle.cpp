#include <cstdio>
#include <typeinfo>

struct Shape {
    virtual ~Shape() = default;
};

struct Circle : Shape {
    int radius = 2;
};

struct Square : Shape {
    int side = 3;
};

__attribute__((noinline)) static int radius(Shape &shape)
{
    return dynamic_cast<Circle &>(shape).radius;
}

int main()
{
    Circle circle;
    Square square;
    std::printf("%d\n", radius(circle));
    std::printf("%d\n", radius(square));
    return 0;
}
