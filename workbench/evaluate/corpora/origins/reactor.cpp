// An event loop that owns its handlers.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

class Reactor;

class Handler {
public:
    Handler(Reactor &r, int fd, std::string name) : reactor(r), fd(fd), name(std::move(name)) {}
    virtual ~Handler() = default;
    virtual void ready(int event) = 0;
    int descriptor() const { return fd; }
protected:
    Reactor &reactor;
    int fd;
    std::string name;
    std::vector<std::string> log;
};

class Reactor {
public:
    void add(std::unique_ptr<Handler> h) {
        int fd = h->descriptor();
        handlers[fd] = std::move(h);
    }
    void remove(int fd) {
        handlers.erase(fd); // origin Reactor::remove
        closed++;
    }
    void dispatch(int fd, int event) {
        auto it = handlers.find(fd);
        if (it != handlers.end())
            it->second->ready(event);
    }
    void forEach(const std::function<void(Handler &)> &f) {
        for (auto &h : handlers)
            f(*h.second);
    }
    int closed = 0;
private:
    std::map<int, std::unique_ptr<Handler>> handlers;
};

class Echo : public Handler {
public:
    using Handler::Handler;
    void ready(int event) override {
        if (event == 9)
            hangup();
        seen += event;
        log.push_back(name + " saw event number " + std::to_string(event));
    }
    void hangup() {
        reactor.remove(fd);
    }
private:
    long seen = 0;
};

class Monitor : public Handler {
public:
    using Handler::Handler;
    void ready(int event) override { total += event; }
private:
    long total = 0;
};

int main() {
    Reactor r;
    for (int fd = 3; fd < 8; fd++)
        r.add(std::make_unique<Echo>(r, fd, "a connection with quite a long name"));
    r.add(std::make_unique<Monitor>(r, 20, "monitor"));
    const int events[][2] = {{3, 1}, {4, 2}, {20, 1}, {5, 1}, {5, 9}, {4, 1}};
    for (auto &e : events) {
        r.dispatch(e[0], e[1]);
        std::printf("fd %d event %d\n", e[0], e[1]);
    }
    std::printf("%d closed\n", r.closed);
}
