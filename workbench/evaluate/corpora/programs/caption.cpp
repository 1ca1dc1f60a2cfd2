#include <cstdio>

struct Shape {
    virtual ~Shape() = default;
    long id = 7;
};

struct Circle : Shape {
    long radius = 0x123456789abc;
};

struct Label : Shape {
    const char *words = "label";

    __attribute__((noinline)) char first() const { return words[0]; }
};

static char initial(const Shape *shape)
{
    return static_cast<const Label *>(shape)->first();
}

int main()
{
    Label label;
    Circle circle;
    std::printf("%c\n", initial(&label));
    std::printf("%c\n", initial(&circle));
    return 0;
}
