// One of two constructors leaves a member as it was. flags: -g -O0
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

struct Codec { int rate; int gain; };
static Codec plain{8000, 1};

class Channel {
public:
    explicit Channel(int number) : number_(number), name_("none"), codec_(&plain) {}
    explicit Channel(const std::string &name) : number_(-1), name_(name) {} // origin Channel::Channel
    int rate() const { return codec_->rate * codec_->gain; }
    int number() const { return number_; }
    const std::string &name() const { return name_; }
private:
    int number_;
    std::string name_;
    Codec *codec_;
};

class Desk {
public:
    void open(int number) { channels_.push_back(new Channel(number)); }
    void open(const std::string &name) { channels_.push_back(new Channel(name)); }
    int total() const {
        int sum = 0;
        for (const Channel *one : channels_)
            sum += one->rate();
        return sum;
    }
private:
    std::vector<Channel *> channels_;
};

static void warm_up() {
    char *scratch = new char[sizeof(Channel)];
    std::memset(scratch, 0x5a, sizeof(Channel));
    std::printf("%d\n", scratch[7]);
    delete[] scratch;
}

int main() {
    Desk desk;
    desk.open(1);
    desk.open(2);
    std::printf("%d\n", desk.total());
    warm_up();
    desk.open(std::string("talk"));
    desk.open(3);
    std::printf("%d\n", desk.total());
}
