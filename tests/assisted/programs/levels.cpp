// Meters of an audio desk: each keeps its last levels, and the desk shows their peaks.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

struct Palette {
  int steps = 8;
  int base = 100;
};

class Meter {
public:
  static constexpr std::size_t kLevels = 10;
  Meter(int channel, const Palette *palette) : channel_(channel), palette_(palette) {}
  void hold(std::int64_t level);
  void smooth();
  int colour() const;
  int channel() const { return channel_; }

private:
  int channel_;
  std::size_t next_ = 0;
  std::int64_t levels_[kLevels] = {};
  const Palette *palette_;
  std::int64_t peak_ = 0;
};

void Meter::hold(std::int64_t level) {
  levels_[next_] = level;
  next_ = (next_ + 1) % kLevels;
  if (level > peak_)
    peak_ = level;
}

void Meter::smooth() {
  for (std::size_t at = 1; at < kLevels; at++)
    levels_[at + 1] = (levels_[at - 1] + levels_[at]) / 2;
}

__attribute__((noinline)) int Meter::colour() const {
  int step = static_cast<int>(peak_ % palette_->steps);
  return palette_->base + step;
}

class Desk {
public:
  explicit Desk(int channels) {
    for (int channel = 0; channel < channels; channel++)
      meters_.push_back(std::make_unique<Meter>(channel, &palette_));
  }
  void feed(int frames) {
    for (int frame = 0; frame < frames; frame++)
      for (auto &meter : meters_)
        meter->hold(4000 + 37 * frame + meter->channel());
  }
  void settle() { meters_[1]->smooth(); }
  int show() const {
    int total = 0;
    for (const auto &meter : meters_)
      total += meter->colour();
    return total;
  }

private:
  Palette palette_;
  std::vector<std::unique_ptr<Meter>> meters_;
};

int main() {
  Desk desk(4);
  desk.feed(12);
  std::printf("%d\n", desk.show());
  desk.settle();
  std::printf("%d\n", desk.show());
  return 0;
}
