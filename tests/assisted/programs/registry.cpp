// Shapes by name, and drawings that refer to them.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Shape {
    std::string name;
    double width;
    double height;
};

class Registry {
public:
    void add(const char *name, double width, double height)
    {
        shapes_.push_back(std::make_unique<Shape>(Shape{name, width, height}));
    }
    const Shape *find(const std::string &name) const
    {
        for (const auto &shape : shapes_)
            if (shape->name == name)
                return shape.get();
        return nullptr;
    }

private:
    std::vector<std::unique_ptr<Shape>> shapes_;
};

class Drawing {
public:
    explicit Drawing(const Registry &registry) : registry_(registry) {}
    void use(std::string name) { used_.push_back(std::move(name)); }
    __attribute__((noinline)) double area() const
    {
        double sum = 0;
        for (const auto &name : used_) {
            const Shape *shape = registry_.find(name);
            sum += shape->width * shape->height;
        }
        return sum;
    }

private:
    const Registry &registry_;
    std::vector<std::string> used_;
};

int main()
{
    Registry registry;
    registry.add("door", 0.9, 2.1);
    registry.add("window", 1.2, 1.0);
    Drawing drawing(registry);
    drawing.use("door");
    drawing.use("window");
    std::printf("%f\n", drawing.area());
    drawing.use("Window");
    std::printf("%f\n", drawing.area());
}
