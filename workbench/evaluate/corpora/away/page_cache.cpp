// Keeps the pages that were used last, with an index by name.
#include <cstdio>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>

struct Page {
    explicit Page(std::size_t length) : text(length, '.') {}
    std::string text;
    unsigned reads = 0;
};

class Cache {
public:
    explicit Cache(std::size_t room) : room_(room) {}
    Page *get(const std::string &name);
    void put(const std::string &name, std::size_t length);
    std::size_t size() const { return entries_.size(); }
    ~Cache();

private:
    struct Entry {
        std::string name;
        Page *page;
        unsigned hits;
    };

    void evict();

    std::size_t room_;
    std::size_t evicted_ = 0;
    std::list<Entry> entries_;
    std::unordered_map<std::string, std::list<Entry>::iterator> index_;
};

__attribute__((noinline)) Page *Cache::get(const std::string &name)
{
    auto found = index_.find(name);
    if (found == index_.end())
        return nullptr;
    auto entry = found->second;
    entry->hits++;
    entries_.splice(entries_.begin(), entries_, entry);
    return entry->page;
}

__attribute__((noinline)) void Cache::put(const std::string &name, std::size_t length)
{
    entries_.push_front(Entry{name, new Page(length), 0});
    index_[name] = entries_.begin();
    if (entries_.size() > room_)
        evict();
}

__attribute__((noinline)) void Cache::evict()
{
    Entry &oldest = entries_.back();
    delete oldest.page;
    index_.erase(entries_.front().name);
    entries_.pop_back();
    evicted_++;
}

Cache::~Cache()
{
    for (Entry &entry : entries_)
        delete entry.page;
}

class Renderer {
public:
    explicit Renderer(Cache &cache) : cache_(cache) {}
    std::size_t render(const std::string &name);
    std::size_t misses() const { return misses_; }

private:
    Cache &cache_;
    std::size_t misses_ = 0;
};

__attribute__((noinline)) std::size_t Renderer::render(const std::string &name)
{
    Page *page = cache_.get(name);
    if (page == nullptr) {
        misses_++;
        return 0;
    }
    page->reads++;
    return page->text.size();
}

int main()
{
    Cache cache(4);
    Renderer renderer(cache);
    static const char *const visits[] = {"intro", "setup", "usage", "setup", "faq", "intro"};
    std::size_t shown = 0;

    for (const char *name : {"intro", "setup", "usage", "faq", "index"})
        cache.put(name, 100 + cache.size());
    for (const char *name : visits)
        shown += renderer.render(name);
    std::printf("%zu shown, %zu missed\n", shown, renderer.misses());
    return 0;
}
