#include <cstdio>

struct Named {
    virtual const char *name() const { return "device"; }
    int number = 1;
};

struct Counted {
    int count = 2;
};

struct Device : Named, Counted {
    long state[6] = {};
};

__attribute__((noinline)) static void drop(Counted *counted)
{
    delete counted;
}

int main()
{
    drop(new Device);
    std::puts("dropped");
    return 0;
}
