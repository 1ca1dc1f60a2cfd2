#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

class Channel {
public:
    explicit Channel(std::string name) : name_(std::move(name)) {}
    virtual ~Channel() = default;
    virtual void send(int value) { std::printf("%s: %d\n", name_.c_str(), value); }

private:
    std::string name_;
};

__attribute__((noinline)) static void publish(std::vector<std::unique_ptr<Channel>> &channels)
{
    for (auto &channel : channels)
        channel->send(7);
}

int main()
{
    std::vector<std::unique_ptr<Channel>> channels;
    channels.push_back(std::make_unique<Channel>("prices"));
    channels.push_back(std::make_unique<Channel>("orders"));
    std::unique_ptr<Channel> kept = std::move(channels[1]);
    publish(channels);
    return kept == nullptr;
}
