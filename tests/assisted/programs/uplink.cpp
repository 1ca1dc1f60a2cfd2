// Links to peers, kept by number; an idle one is closed.
#include <cstdio>
#include <map>
#include <string>
struct Socket { int fd; long sent; char name[16]; };
class Link {
 public:
  explicit Link(int id) : id_(id) { connect(); }
  ~Link() { close(); }
  void connect() { socket_ = new Socket{id_ + 3, 0, "sock"}; state_ = 1; }
  void send(const std::string &text) {
    queued_ += text;
    if (queued_.size() > 16) flush();
  }
  void flush() {
    socket_->sent += static_cast<long>(queued_.size());
    queued_.clear();
  }
  void close() {
    delete socket_;
    socket_ = nullptr;
    state_ = 0;
  }
  void idle(int ticks) {
    idle_ += ticks;
    if (idle_ > 30) close();
  }
  int state() const { return state_; }
  void rest() { idle_ = 0; }
 private:
  int id_;
  int state_ = 0;
  int idle_ = 0;
  Socket *socket_ = nullptr;
  std::string queued_;
};
class Hub {
 public:
  Link &at(int id) { auto it = links_.find(id); if (it == links_.end()) it = links_.emplace(id, id).first; return it->second; }
  void broadcast(const std::string &text) { for (auto &one : links_) one.second.send(text); }
  void tick(int ticks) { for (auto &one : links_) one.second.idle(ticks * one.first); }
 private:
  std::map<int, Link> links_;
};
int main() {
  Hub hub;
  hub.at(1); hub.at(2); hub.at(7);
  hub.broadcast("hello");
  hub.tick(5);
  hub.broadcast("a longer text here");
  std::puts("done");
}
