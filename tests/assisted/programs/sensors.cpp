#include "sensor.h"
#include <cstdio>
#include <cstdlib>

class Thermometer : public Sensor {
public:
    Thermometer(int number, double offset) : Sensor(number, 0.25), offset_(offset) {}
    double read() const override { return offset_ + number_ * scale_; }

private:
    double offset_;
};

class Barometer : public Sensor {
public:
    explicit Barometer(int number) : Sensor(number, 10.0) {}
    double read() const override { return 900 + number_ * scale_; }
};

static void install(Registry &registry, Panel &panel)
{
    for (int number = 1; number <= 6; number++) {
        Sensor *made = number % 2 ? static_cast<Sensor *>(new Thermometer(number, 18.5))
                                  : static_cast<Sensor *>(new Barometer(number));
        panel.watch(registry.add(made));
    }
}

static void maintain(Registry &registry, Panel &panel, const char *plan)
{
    for (const char *step = plan; *step; step++) {
        int number = *step - '0';
        if (registry.find(number) == nullptr)
            continue;
        if (registry.retire(number))
            panel.title(std::string("sensor is out of order"));
    }
}

int main(int argc, char **argv)
{
    Registry registry;
    Panel panel;
    install(registry, panel);
    std::printf("%zu sensors, %.2f\n", registry.size(), panel.total());
    maintain(registry, panel, argc > 1 ? argv[1] : "849");
    panel.title("after maintenance, all of it");
    std::printf("%zu sensors, %.2f\n", registry.size(), panel.total());
    return 0;
}
