#include "lanes.h"
#include <cstdio>
#include <cstring>
#include <memory>

static void scribble(std::size_t count)
{
    std::vector<std::unique_ptr<char[]>> notes;
    for (std::size_t at = 0; at < count; at++) {
        notes.push_back(std::make_unique<char[]>(24));
        std::memset(notes.back().get(), 'a' + static_cast<int>(at % 20), 24);
    }
}

int main()
{
    scribble(40);
    Gate north{1, 0}, south{2, 0};
    Road road;
    road.add(new Lane(1, &north));
    road.add(new Lane(2, &south));
    road.widen(2);
    long sum = 0;
    for (int hour = 0; hour < 3; hour++)
        sum += road.rush(hour * 40);
    std::printf("%ld\n", sum);
    return 0;
}
