#include "sensor.h"

Registry::~Registry()
{
    for (Sensor *sensor : all_)
        delete sensor;
}

Sensor *Registry::add(Sensor *sensor)
{
    all_.push_back(sensor);
    return sensor;
}

Sensor *Registry::find(int number) const
{
    for (Sensor *sensor : all_)
        if (sensor->number() == number)
            return sensor;
    return nullptr;
}

bool Registry::retire(int number)
{
    for (std::size_t at = 0; at < all_.size(); at++) {
        Sensor *sensor = all_[at];
        if (sensor->number() != number)
            continue;
        all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(at));
        delete sensor;
        return true;
    }
    return false;
}

void Panel::watch(Sensor *sensor)
{
    if (sensor != nullptr)
        watched_.push_back(sensor);
}

void Panel::title(const std::string &text)
{
    titles_.push_back(text);
}

double Panel::total() const
{
    double sum = 0;
    for (const Sensor *sensor : watched_)
        sum += sensor->read();
    return sum;
}
