// A message bus: listeners are owned by their windows, the bus keeps plain pointers.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Message {
  int topic;
  std::string text;
};

class Listener {
public:
  Listener(int topic, std::string name) : topic_(topic), name_(std::move(name)) {}
  virtual ~Listener() = default;
  virtual int hear(const Message &message) { return message.topic == topic_ ? ++heard_ : 0; }

protected:
  int topic_;
  int heard_ = 0;
  std::string name_;
};

class Counter : public Listener {
public:
  Counter(int topic, std::string name, int step) : Listener(topic, std::move(name)), step_(step) {}
  int hear(const Message &message) override {
    heard_ += step_;
    return Listener::hear(message);
  }

private:
  int step_;
};

class Bus {
public:
  void subscribe(Listener *listener) { listeners_.push_back(listener); }
  int publish(const Message &message);

private:
  std::vector<Listener *> listeners_;
};

__attribute__((noinline)) int Bus::publish(const Message &message) {
  int total = 0;
  for (Listener *listener : listeners_)
    total += listener->hear(message);
  return total;
}

class Window {
public:
  Window(Bus &bus, int topic, const std::string &title)
      : title_(title), listener_(std::make_unique<Counter>(topic, title, 2)) {
    bus.subscribe(listener_.get());
  }
  void close() {
    listener_.reset();
    open_ = false;
  }
  bool open() const { return open_; }

private:
  std::string title_;
  std::unique_ptr<Listener> listener_;
  bool open_ = true;
};

int main() {
  Bus bus;
  std::vector<std::unique_ptr<Window>> windows;
  for (int i = 0; i < 3; i++)
    windows.push_back(std::make_unique<Window>(bus, i, "window number " + std::to_string(i)));
  int total = bus.publish({1, "opened"});
  windows[1]->close();
  total += bus.publish({1, "closed"});
  std::printf("%d\n", total);
  return 0;
}
