#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Word {
    std::string text;
    int seen;
    Word *next;
};

class Index {
public:
    explicit Index(int buckets) : count_(buckets), buckets_(new Word *[buckets]()) {}

    void add(const std::string &text)
    {
        int at = slot(text);
        buckets_[at] = new Word{text, 1, buckets_[at]};
    }

    int seen(const std::string &text) const
    {
        int at = slot(text);
        for (const Word *word = buckets_[at]; word != nullptr; word = word->next)
            if (word->text == text)
                return word->seen;
        return 0;
    }

private:
    int slot(const std::string &text) const
    {
        std::int32_t hash = 17;
        for (char c : text)
            hash = static_cast<std::int32_t>(static_cast<std::uint32_t>(hash) * 31u + c);
        int place = hash % count_;
        return place;
    }

    int count_;
    Word **buckets_;
};

static std::vector<std::string> load()
{
    return {"ale", "bun", "cod", "dal"};
}

static int look_up(const Index &index, const std::vector<std::string> &asked)
{
    int found = 0;
    for (const std::string &text : asked)
        found += index.seen(text);
    return found;
}

int main()
{
    std::vector<long> before(64, 0x5151515151515151);
    Index *index = new Index(61);
    for (const std::string &text : load())
        index->add(text);
    std::vector<std::string> asked = load();
    asked.push_back("marmalade");
    asked.push_back("gooseberry");
    asked.push_back("watercress");
    asked.push_back("pumpernickel");
    std::printf("%d %zu\n", look_up(*index, asked), before.size());
    return 0;
}
