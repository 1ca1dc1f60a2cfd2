// A bus keeps its subscribers in a vector; a handler subscribes another one while it is called. flags: -g -O1
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct Bus;
struct Subscriber {
    std::string topic;
    void (*handle)(Bus &, Subscriber &, int);
    std::unique_ptr<int> seen;
};

struct Bus {
    std::vector<Subscriber> all;
    int published = 0;

    void subscribe(const char *topic, void (*handle)(Bus &, Subscriber &, int)) {
        all.push_back({topic, handle, std::make_unique<int>(0)}); // origin Bus::subscribe
    }

    void publish(const char *topic, int value) {
        for (Subscriber &one : all) {
            if (one.topic == topic)
                one.handle(*this, one, value);
            published++;
        }
    }
};

static void count(Bus &, Subscriber &me, int value) {
    *me.seen += value;
}

static void adopt(Bus &bus, Subscriber &me, int value) {
    if (value > 2) {
        bus.subscribe("child", count);
        bus.subscribe("child", count);
        bus.subscribe("child", count);
        std::string note(190, 'z');
        std::printf("%c\n", note[bus.published]);
    }
    *me.seen += value;
}

int main() {
    Bus bus;
    bus.subscribe("start", count);
    bus.subscribe("start", adopt);
    bus.subscribe("start", count);
    bus.subscribe("child", count);
    for (int i = 0; i < 5; i++)
        bus.publish("start", i);
    std::printf("%d\n", bus.published);
}
