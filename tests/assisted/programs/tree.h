#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

class Node {
public:
    Node(std::uint32_t id, Node *parent, std::uint64_t size);
    Node(std::uint32_t id, std::uint64_t size);
    std::uint64_t total() const;
    void grow(std::uint64_t by);
    std::uint32_t id() const { return id_; }

private:
    std::uint32_t id_;
    std::uint32_t depth_;
    std::uint64_t size_;
    Node *parent_;
    std::uint64_t grown_;
};

class Tree {
public:
    Node *root(std::uint64_t size);
    Node *child(Node *parent, std::uint64_t size);
    Node *spare(std::uint64_t size);
    Node *find(std::uint32_t id) const;

private:
    std::vector<Node *> nodes_;
};
