// Blocks of sound are mixed into a buffer that is a part of its bus: two numbers an index.
#include <cstdint>
#include <cstdio>

constexpr int kFrames = 32;
constexpr int kChannels = 2;

struct Sink {
  const char *name;
  std::int64_t written;
};

class MixBus {
public:
  explicit MixBus(Sink *sink) : sink_(sink) {}
  void add(int frames, std::int64_t level);
  void rest(int from);
  std::int64_t flush();

private:
  std::int64_t mix_[kFrames * kChannels] = {};
  Sink *sink_;
};

void MixBus::add(int frames, std::int64_t level) {
  for (int frame = 0; frame < frames && frame < kFrames; frame++)
    for (int channel = 0; channel < kChannels; channel++)
      mix_[frame * kChannels + channel] += level * (channel + 1);
  if (frames < kFrames)
    rest(frames);
}

void MixBus::rest(int from) {
  for (int at = from * kChannels; at <= kFrames * kChannels; at++)
    mix_[at] = mix_[at - 1] / 2 + 21;
}

__attribute__((noinline)) static std::int64_t put(Sink *sink, std::int64_t peak) {
  sink->written += peak;
  return sink->written;
}

std::int64_t MixBus::flush() {
  std::int64_t most = 0;
  for (std::int64_t value : mix_)
    if (value > most)
      most = value;
  return put(sink_, most);
}

int main() {
  Sink sink{"speaker", 0};
  MixBus bus(&sink);
  bus.add(32, 40);
  bus.add(20, 11);
  std::printf("%ld\n", static_cast<long>(bus.flush()));
  return 0;
}
