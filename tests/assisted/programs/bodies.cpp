#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

struct Body {
    double x = 0, v = 1;
    double size = 1;
    double age = 0;
    std::vector<double> trail;
};

class World {
public:
    using Hook = std::function<void(World &, Body &)>;
    __attribute__((noinline)) void add(double x, double size)
    {
        Body body;
        body.x = x;
        body.size = size;
        bodies_.push_back(body);
    }
    void on_split(Hook hook) { hook_ = std::move(hook); }
    __attribute__((noinline)) void step(double dt)
    {
        for (Body &body : bodies_) {
            body.x += body.v * dt;
            body.age += dt;
            if (body.age > 3 && body.size > 0.25 && hook_)
                hook_(*this, body);
            body.trail.push_back(body.x);
        }
    }
    std::size_t size() const { return bodies_.size(); }

private:
    std::vector<Body> bodies_;
    Hook hook_;
};

__attribute__((noinline)) static void split(World &world, Body &body)
{
    double half = body.size / 2;
    body.size = half;
    body.age = 0;
    world.add(body.x + half, half);
}

int main()
{
    World world;
    for (int i = 0; i < 4000; i++)
        world.add(i, 1 + i % 3);
    world.on_split([](World &w, Body &b) { split(w, b); });
    for (int i = 0; i < 40; i++)
        world.step(0.25);
    std::printf("%zu\n", world.size());
}
