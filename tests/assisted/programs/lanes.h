#pragma once
#include <cstddef>
#include <string>
#include <vector>

struct Gate {
    int number;
    long passed;
};

class Lane {
public:
    Lane(int number, Gate *gate);
    explicit Lane(const Lane *sibling);
    long pass(int cars);
    int number() const { return number_; }

private:
    int number_;
    long waiting_ = 0;
    Gate *gate_;
};

class Road {
public:
    Lane &add(Lane *lane);
    Lane &widen(int after);
    long rush(int cars);

private:
    std::vector<Lane *> lanes_;
};
