// A worker goes on with an object whose owner is gone. flags: -g -O1 -pthread
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

struct Feed {
    long *values;
    int count;
};

static std::atomic<int> stage{0};

__attribute__((noinline)) static Feed *open_feed(int count) {
    Feed *feed = new Feed;
    feed->values = new long[static_cast<unsigned>(count)];
    feed->count = count;
    for (int i = 0; i < count; i++)
        feed->values[i] = i;
    return feed;
}

__attribute__((noinline)) static void close_feed(Feed *feed) {
    delete[] feed->values;
    delete feed; // origin close_feed
}

__attribute__((noinline)) static long read_feed(const Feed *feed) {
    long total = 0;
    for (int i = 0; i < 4; i++)
        total += feed->values[i];
    return total;
}

static void worker(Feed *feed, long *result) {
    long total = 0;
    for (int i = 0; i < 10; i++)
        total += read_feed(feed);
    stage = 1;
    while (stage != 2)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    total += read_feed(feed);
    *result = total;
}

int main() {
    long result = 0;
    Feed *feed = open_feed(10);
    std::thread thread(worker, feed, &result);
    while (stage != 1)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    close_feed(feed);
    std::vector<char *> notes;
    for (int i = 0; i < 3; i++) {
        notes.push_back(new char[sizeof(Feed)]);
        std::memset(notes.back(), '#', sizeof(Feed));
    }
    stage = 2;
    thread.join();
    std::printf("%ld\n", result);
    return 0;
}
