#include <cstdio>
#include <memory>
#include <thread>

struct Packet {
    char payload[4000];
};

__attribute__((noinline)) static void consume(Packet *raw)
{
    std::shared_ptr<Packet> mine(raw);
    std::printf("%d\n", mine->payload[0]);
}

int main()
{
    std::thread worker([] {
        Packet *packet = new Packet();
        Packet *guard = new Packet();
        consume(packet);
        consume(packet);
        delete guard;
    });
    worker.join();
    return 0;
}
