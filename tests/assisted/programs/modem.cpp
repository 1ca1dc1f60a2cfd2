// A pool of links that send frames; a link that has failed too often is closed for good.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

enum State { Idle, Open, Busy, Closed };

struct Link {
    int state = Idle;
    int errors = 0;
    long sent = 0;
};

static void fail(const char *what, const std::string &name)
{
    std::fprintf(stderr, "fatal: %s: %s\n", name.c_str(), what);
    std::abort();
}

class Sender {
public:
    Sender(Link *link, const std::string &name) : link_(link), name_(name) {}

    void open()
    {
        link_->state = Open;
    }

    void note(bool good)
    {
        if (good)
            link_->errors = 0;
        else
            link_->errors++;
    }

    void send(long bytes)
    {
        if (link_->state == Closed)
            fail("it is closed", name_);
        link_->state = Busy;
        link_->sent += bytes;
        link_->state = Open;
    }

private:
    Link *link_;
    std::string name_;
};

static void reap(Link *link)
{
    if (link->errors >= 2)
        link->state = Closed;
    link->errors = 0;
}

static int serve(Link *link, int rounds)
{
    Sender sender(link, "uplink");
    sender.open();
    for (int at = 0; at < rounds; at++) {
        sender.send(512);
        sender.note(at < 3);
        if (at % 3 == 2)
            reap(link);
    }
    return 0;
}

int main(int argc, char **)
{
    auto link = std::make_unique<Link>();
    return serve(link.get(), 9 + argc);
}
