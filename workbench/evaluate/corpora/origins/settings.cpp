// A reference into a vector that grows. flags: -g -O2
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

struct Option {
    const char *name;
    const long *value;
};

static const long defaults[] = {1, 2, 3, 4, 5, 6, 7, 8};

class Options {
public:
    __attribute__((noinline)) Option *define(const char *name, int which) {
        options.push_back(Option{name, &defaults[which]}); // origin Options::define
        return &options.back();
    }
    __attribute__((noinline)) long sum() const {
        long total = 0;
        for (const Option &option : options)
            total += *option.value;
        return total;
    }

private:
    std::vector<Option> options;
};

struct Cache {
    Option *verbose = nullptr;
    Option *depth = nullptr;
};

__attribute__((noinline)) static void setup(Options &options, Cache &cache) {
    cache.verbose = options.define("verbose", 0);
    cache.depth = options.define("depth", 1);
}

__attribute__((noinline)) static void plugins(Options &options) {
    static const char *names[] = {"colour", "width", "height"};
    for (int i = 0; i < 3; i++)
        options.define(names[i], 2 + i);
}

__attribute__((noinline)) static long look(const Cache &cache) {
    return *cache.depth->value;
}

int main() {
    Options options;
    Cache cache;
    setup(options, cache);
    long before = look(cache);
    plugins(options);
    std::string text(32, 'z');
    char *other = static_cast<char *>(std::malloc(32));
    for (int i = 0; i < 32; i++)
        other[i] = 'q';
    std::printf("%ld %ld %s %c\n", before, look(cache) + options.sum(), text.c_str(), other[3]);
    return 0;
}
