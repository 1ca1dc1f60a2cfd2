#pragma once
#include <cstddef>
#include <string>
#include <vector>

class Sensor {
public:
    Sensor(int number, double scale) : number_(number), scale_(scale) {}
    virtual ~Sensor() = default;
    virtual double read() const = 0;
    int number() const { return number_; }

protected:
    int number_;
    double scale_;
};

class Registry {
public:
    ~Registry();
    Sensor *add(Sensor *sensor);
    Sensor *find(int number) const;
    bool retire(int number);
    std::size_t size() const { return all_.size(); }

private:
    std::vector<Sensor *> all_;
};

class Panel {
public:
    void watch(Sensor *sensor);
    void title(const std::string &text);
    double total() const;

private:
    std::vector<Sensor *> watched_;
    std::vector<std::string> titles_;
};
