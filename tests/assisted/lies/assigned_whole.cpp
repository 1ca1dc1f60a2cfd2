/* attack: flags=-O0 -std=c++17; values=Scene::draw:this,draw:this,draw:active_,Scene::draw:active_,Scene::draw:this->active_,main:scene,main:scene.active_ */
// A scene of named nodes, of which one is active.
#include <cstdio>
#include <map>
#include <string>

struct Node {
    std::string title;
    int shown = 0;
    Node *parent = nullptr;
};

class Scene {
public:
    Node *add(const std::string &name, const std::string &parent)
    {
        Node &node = nodes_[name];
        node.title = "the node " + name;
        auto it = nodes_.find(parent);
        if (it != nodes_.end())
            node.parent = &it->second;
        return &node;
    }

    void activate(const std::string &name)
    {
        auto it = nodes_.find(name);
        if (it != nodes_.end())
            active_ = &it->second;
    }

    bool drop(const std::string &name)
    {
        auto it = nodes_.find(name);
        if (it == nodes_.end())
            return false;
        nodes_.erase(it);
        return true;
    }

    void load(const Scene &other)
    {
        nodes_ = other.nodes_; /*!*/
    }

    unsigned long draw()
    {
        if (!active_)
            return 0;
        active_->shown++;
        unsigned long drawn = active_->title.size();
        if (active_->parent)
            drawn += active_->parent->title.size();
        return drawn;
    }

private:
    std::map<std::string, Node> nodes_;
    Node *active_ = nullptr;
};

int main()
{
    Scene scene;
    scene.add("root", "");
    scene.add("left", "root");
    scene.add("right", "root");
    scene.activate("left");
    std::printf("%lu\n", scene.draw());
    scene.drop("right");
    Scene empty;
    scene.load(empty);
    std::string note(sizeof(Node) + 60, 'n');
    std::printf("%lu %zu\n", scene.draw(), note.size());
}
