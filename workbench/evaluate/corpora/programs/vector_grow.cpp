#include <cstdio>
#include <vector>

struct Node {
    long value;
    Node *peer;
};

__attribute__((noinline)) static long follow(const Node &node)
{
    return node.peer->value;
}

__attribute__((noinline)) static long extend(std::vector<Node *> &nodes, Node *more)
{
    Node *const &first = nodes.front();
    for (int count = 0; count < 20; count++)
        nodes.push_back(more);
    return follow(*first);
}

int main()
{
    static Node far = {9, nullptr}, near = {4, &far};
    std::vector<Node *> nodes = {&near, &near};
    std::printf("%ld\n", extend(nodes, &near));
    return 0;
}
