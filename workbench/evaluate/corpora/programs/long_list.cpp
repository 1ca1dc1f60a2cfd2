#include <cstdio>
#include <memory>

struct Link {
    int value;
    std::unique_ptr<Link> next;
};

__attribute__((noinline)) static std::unique_ptr<Link> chain(int length)
{
    std::unique_ptr<Link> head;
    for (int value = 0; value < length; value++)
        head = std::unique_ptr<Link>(new Link{value, std::move(head)});
    return head;
}

int main()
{
    std::unique_ptr<Link> head = chain(1000000);
    std::printf("%d\n", head->value);
    head.reset();
    return 0;
}
