/* attack: flags=-O1 -std=c++17; values=Player::tick:this,Player::tick:active_,Player::tick:this->active_,Track::read:this,main:player,Player::peek:aside_,Player::peek:this,main:player.aside_,main:player.active_ */
// A player of tracks: one is active, one may be put aside while another is heard.
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

class Track {
public:
    Track(std::string title, unsigned length) : title_(std::move(title)), left_(length) {}
    __attribute__((noinline)) unsigned read(unsigned want)
    {
        unsigned got = want < left_ ? want : left_;
        left_ -= got;
        played_ += got;
        return got;
    }
    const std::string &title() const { return title_; }
    bool done() const { return left_ == 0; }

private:
    std::string title_;
    unsigned left_;
    std::uint64_t played_ = 0;
};

class Player {
public:
    __attribute__((noinline)) void enqueue(std::string title, unsigned length)
    {
        queue_.push_back(std::move(title));
        (void)length;
        if (!active_)
            next();
    }
    __attribute__((noinline)) void interrupt(std::string title, unsigned length)
    {
        aside_ = std::move(active_);
        active_ = std::make_unique<Track>(std::move(title), length);
    }
    __attribute__((noinline)) bool pause()
    {
        if (aside_ || !active_)
            return false;
        std::printf("pausing %s\n", active_->title().c_str());
        aside_ = std::move(active_);
        paused_ = true;
        return true;
    }
    __attribute__((noinline)) void resume()
    {
        if (!paused_)
            return;
        paused_ = false;
    }
    __attribute__((noinline)) unsigned tick(unsigned samples)
    {
        if (paused_)
            return 0;
        unsigned got = active_->read(samples);
        heard_ += got;
        if (active_->done())
            next();
        return got;
    }
    __attribute__((noinline)) void drop()
    {
        aside_.reset(); /*!*/
    }
    __attribute__((noinline)) unsigned peek(unsigned samples)
    {
        unsigned got = aside_->read(samples);
        return got + 1;
    }
    std::uint64_t heard() const { return heard_; }

private:
    __attribute__((noinline)) void next()
    {
        if (queue_.empty())
            return;
        active_ = std::make_unique<Track>(queue_.front(), 3000u);
        queue_.pop_front();
    }
    std::deque<std::string> queue_;
    std::unique_ptr<Track> active_;
    std::unique_ptr<Track> aside_;
    bool paused_ = false;
    std::uint64_t heard_ = 0;
};

int main()
{
    Player player;
    player.enqueue("overture", 3000);
    player.enqueue("aria", 5000);
    for (int i = 0; i < 8; i++)
        player.tick(256);
    if (player.pause())
        for (int i = 0; i < 3; i++)
            player.tick(256);
    player.drop();
    player.peek(16);
    player.resume();
    for (int i = 0; i < 8; i++)
        player.tick(256);
    std::printf("%llu\n", static_cast<unsigned long long>(player.heard()));
    return 0;
}
