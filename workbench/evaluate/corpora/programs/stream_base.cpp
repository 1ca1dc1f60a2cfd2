#include <cstdio>

class Stream {
public:
    virtual ~Stream() { finish(); }
    __attribute__((noinline)) void finish() { flush(); }

protected:
    virtual void flush() = 0;
};

class FileStream : public Stream {
protected:
    void flush() override { std::puts("flushed"); }
};

int main()
{
    FileStream stream;
    stream.finish();
    return 0;
}
