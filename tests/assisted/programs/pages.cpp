// An LRU cache that hands out raw pointers; eviction deletes what a cursor still holds.
#include <cstdio>
#include <cstring>
#include <list>
#include <string>
#include <unordered_map>

struct Page {
    unsigned id;
    int pins = 0;
    char *data;
    explicit Page(unsigned i) : id(i), data(new char[512]) { std::memset(data, 'p', 512); }
    ~Page() { delete[] data; }
};

class Cache {
public:
    explicit Cache(std::size_t room) : room_(room) {}
    Page *get(unsigned id)
    {
        auto it = index_.find(id);
        if (it != index_.end()) {
            lru_.remove(it->second);
            lru_.push_front(it->second);
            return it->second;
        }
        if (lru_.size() >= room_)
            while (lru_.size() > room_ / 2)
                evict();
        Page *p = new Page(id);
        index_[id] = p;
        lru_.push_front(p);
        return p;
    }

private:
    void evict()
    {
        Page *old = lru_.back();
        lru_.pop_back();
        index_.erase(old->id);
        delete old;
    }
    std::size_t room_;
    std::list<Page *> lru_;
    std::unordered_map<unsigned, Page *> index_;
};

class Cursor {
public:
    Cursor(Cache &c, unsigned first) : cache_(c), page_(c.get(first)) {}
    int read(unsigned at) const { return page_->data[at]; }
    void prefetch(unsigned n)
    {
        for (unsigned i = 1; i <= n; i++)
            cache_.get(page_->id + i);
    }

private:
    Cache &cache_;
    Page *page_;
};

static int scan(Cursor &c, unsigned n)
{
    int sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += c.read(i * 16);
    return sum;
}

int main(int argc, char **)
{
    Cache cache(4);
    Cursor cur(cache, 100);
    int s = scan(cur, 4);
    unsigned ahead = 3 + argc;
    for (unsigned i = 1; i <= ahead; i++)
        cache.get(100 + i);
    s += scan(cur, 8);
    std::printf("%d\n", s);
}
