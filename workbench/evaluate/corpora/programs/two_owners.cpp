#include <cstdio>
#include <cstring>

class Buffer {
public:
    explicit Buffer(const char *text) : text_(new char[std::strlen(text) + 1])
    {
        std::strcpy(text_, text);
    }
    __attribute__((noinline)) ~Buffer() { delete[] text_; }
    const char *text() const { return text_; }

private:
    char *text_;
};

__attribute__((noinline)) static void show(Buffer buffer)
{
    std::puts(buffer.text());
}

int main()
{
    Buffer greeting("good morning, everybody");
    show(greeting);
    return 0;
}
