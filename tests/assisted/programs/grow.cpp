#include "tree.h"
#include <cstdio>
#include <cstring>

static std::uint64_t scan(const char *text)
{
    std::size_t length = std::strlen(text);
    char *copy = new char[length + 1];
    std::memcpy(copy, text, length + 1);
    std::uint64_t sum = 0;
    for (char *at = copy; *at != '\0'; at++)
        sum = sum * 31 + static_cast<unsigned char>(*at);
    delete[] copy;
    return sum % 1000;
}

static Node *build(Tree &tree)
{
    Node *root = tree.root(100);
    Node *left = tree.child(root, 20);
    Node *right = tree.child(root, 30);
    tree.child(left, 5);
    tree.child(right, scan("the right branch of the tree has one leaf"));
    return root;
}

static void apply(Tree &tree, std::uint32_t id, std::uint64_t by)
{
    Node *node = tree.find(id);
    if (node != nullptr)
        node->grow(by);
}

int main()
{
    Tree tree;
    Node *root = build(tree);
    apply(tree, 4, 7);
    std::printf("%llu\n", static_cast<unsigned long long>(root->total()));
    scan("a spare node is kept for later use..");
    Node *spare = tree.spare(64);
    std::printf("%u\n", spare->id());
    apply(tree, spare->id(), 12);
    apply(tree, 5, 3);
    std::printf("%llu\n", static_cast<unsigned long long>(root->total()));
    return 0;
}
