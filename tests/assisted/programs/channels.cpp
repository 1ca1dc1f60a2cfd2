// A mixer of up to six channels.
#include <cstddef>
#include <cstdio>
#include <string>

struct Output {
    std::string name;
    unsigned long frames = 0;
};

class Mixer {
public:
    explicit Mixer(Output *out) : out_(out) {}

    __attribute__((noinline)) int channel(unsigned long volume)
    {
        if (used_ > kMost)
            return -1;
        volumes_[used_] = volume;
        return static_cast<int>(used_++);
    }

    __attribute__((noinline)) unsigned long play(unsigned long frames)
    {
        unsigned long sum = 0;
        for (std::size_t at = 0; at < used_ && at < kMost; at++)
            sum += volumes_[at] * frames;
        out_->frames += frames;
        return sum;
    }

private:
    static constexpr std::size_t kMost = 6;
    std::size_t used_ = 0;
    unsigned long volumes_[kMost] = {};
    Output *out_;
};

__attribute__((noinline)) static void add(Mixer &mixer, unsigned count)
{
    for (unsigned at = 0; at < count; at++)
        if (mixer.channel(100 + at) < 0)
            std::puts("no room");
}

int main()
{
    Output out{"speaker"};
    auto *mixer = new Mixer(&out);
    add(*mixer, 4);
    std::printf("%lu\n", mixer->play(48));
    add(*mixer, 3);
    std::printf("%lu\n", mixer->play(48));
    delete mixer;
}
