#include "tree.h"

Node::Node(std::uint32_t id, Node *parent, std::uint64_t size)
    : id_(id), depth_(0), size_(size), parent_(parent), grown_(0)
{
    for (const Node *up = parent; up != nullptr; up = up->parent_)
        depth_++;
}

Node::Node(std::uint32_t id, std::uint64_t size) : id_(id), depth_(0), size_(size), grown_(1)
{
}

std::uint64_t Node::total() const
{
    return size_ + grown_;
}

void Node::grow(std::uint64_t by)
{
    for (Node *node = this; node != nullptr; node = node->parent_)
        node->grown_ += by;
}

Node *Tree::root(std::uint64_t size)
{
    nodes_.push_back(new Node(1, nullptr, size));
    return nodes_.back();
}

Node *Tree::child(Node *parent, std::uint64_t size)
{
    nodes_.push_back(new Node(static_cast<std::uint32_t>(nodes_.size() + 1), parent, size));
    return nodes_.back();
}

Node *Tree::spare(std::uint64_t size)
{
    nodes_.push_back(new Node(static_cast<std::uint32_t>(nodes_.size() + 1), size));
    return nodes_.back();
}

Node *Tree::find(std::uint32_t id) const
{
    for (Node *node : nodes_)
        if (node->id() == id)
            return node;
    return nullptr;
}
