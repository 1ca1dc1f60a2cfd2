/* An object whose owner deletes it before the last call through its table. flags: -g -O0 */
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
    std::string name;
};

struct Square : Shape {
    explicit Square(double side) : side(side) { name = "square"; }
    double area() const override { return side * side; }
    double side;
};

struct Circle : Shape {
    explicit Circle(double radius) : radius(radius) { name = "circle"; }
    double area() const override { return 3.0 * radius * radius; }
    double radius;
};

class Scene {
public:
    Shape *add(Shape *shape) {
        shapes.push_back(shape);
        return shape;
    }
    void remove(Shape *shape) {
        for (std::size_t i = 0; i < shapes.size(); i++) {
            if (shapes[i] == shape) {
                shapes.erase(shapes.begin() + static_cast<long>(i));
                delete shape; /* origin Scene::remove */
                return;
            }
        }
    }

private:
    std::vector<Shape *> shapes;
};

class Selection {
public:
    void select(Shape *shape) { chosen.push_back(shape); }
    double area() const {
        double total = 0;
        for (const Shape *shape : chosen)
            total += shape->area();
        return total;
    }

private:
    std::vector<Shape *> chosen;
};

int main() {
    Scene scene;
    Selection selection;
    Shape *square = scene.add(new Square(2));
    Shape *circle = scene.add(new Circle(3));
    selection.select(square);
    selection.select(circle);
    std::printf("%f\n", selection.area());
    scene.remove(circle);
    char *text = static_cast<char *>(operator new(sizeof(Circle)));
    std::memset(text, 'x', sizeof(Circle));
    std::printf("%f %c\n", selection.area(), text[0]);
    return 0;
}
