#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

struct Mesh {
    int vertices;
    float scale;
};

class Node {
public:
    Node(const std::string &name, Mesh *mesh);
    Node(const std::string &name, const Node &like, bool visible);
    int cost() const;
    void show(bool on) { visible_ = on; }
    const std::string &name() const { return name_; }

private:
    std::string name_;
    int layer_;
    bool visible_;
    Mesh *mesh_;
};

Node::Node(const std::string &name, Mesh *mesh) : name_(name), layer_(0), visible_(true)
{
    mesh_ = mesh;
}

Node::Node(const std::string &name, const Node &like, bool visible) : name_(name)
{
    layer_ = like.layer_ + 1;
    visible_ = visible;
}

int Node::cost() const
{
    if (!visible_)
        return 0;
    return mesh_->vertices * (layer_ + 1);
}

class Scene {
public:
    Node *add(const std::string &name, Mesh *mesh)
    {
        nodes_.push_back(new Node(name, mesh));
        return nodes_.back();
    }
    Node *clone(const std::string &name, const Node &of)
    {
        Node *made = new Node(name, of, false);
        nodes_.push_back(made);
        return made;
    }
    int cost() const
    {
        int sum = 0;
        for (const Node *node : nodes_)
            sum += node->cost();
        return sum;
    }

private:
    std::vector<Node *> nodes_;
};

static void warm(int count)
{
    std::vector<char *> blocks;
    for (int i = 0; i < count; i++) {
        blocks.push_back(static_cast<char *>(malloc(sizeof(Node))));
        memset(blocks.back(), 0x5a, sizeof(Node));
    }
    for (char *block : blocks)
        free(block);
}

int main()
{
    Mesh cube{8, 1.0f}, ball{120, 2.5f};
    Scene scene;
    warm(4);
    Node *first = scene.add("cube", &cube);
    scene.add("ball", &ball);
    Node *copy = scene.clone("cube-2", *first);
    std::printf("cost %d\n", scene.cost());
    copy->show(true);
    std::printf("cost %d\n", scene.cost());
    return 0;
}
