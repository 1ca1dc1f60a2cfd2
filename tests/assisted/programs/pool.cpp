// Addresses that are leased to clients for a time.
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

struct Lease {
    std::string client;
    std::uint64_t until = 0;
    std::vector<std::string> options;
};

class Pool {
public:
    explicit Pool(std::uint32_t first) : next_(first) {}

    std::uint32_t lease(const std::string &client, std::uint64_t now, std::uint64_t seconds)
    {
        std::uint32_t address = next_++;
        Lease &lease = leases_[address];
        lease.client = client;
        lease.until = now + seconds;
        lease.options.push_back("router");
        return address;
    }

    bool renew(std::uint32_t address, std::uint64_t now, std::uint64_t seconds)
    {
        auto it = leases_.find(address);
        if (it == leases_.end())
            return false;
        it->second.until = now + seconds;
        return true;
    }

    std::size_t expire(std::uint64_t now)
    {
        std::size_t gone = 0;
        for (auto it = leases_.begin(); it != leases_.end(); ++it) {
            if (it->second.until <= now) {
                released_.push_back(it->first);
                leases_.erase(it);
                gone++;
            }
        }
        return gone;
    }

    std::size_t size() const { return leases_.size(); }

private:
    std::map<std::uint32_t, Lease> leases_;
    std::vector<std::uint32_t> released_;
    std::uint32_t next_;
};

int main()
{
    Pool pool(0x0a000002);
    std::vector<std::uint32_t> given;
    for (int i = 0; i < 12; i++)
        given.push_back(pool.lease("host" + std::to_string(i), 1000, 60 + 5 * (i % 3)));
    for (std::size_t i = 0; i < given.size(); i += 4)
        pool.renew(given[i], 1030, 600);
    for (std::uint64_t now = 1040; now < 1100; now += 10)
        std::printf("%zu gone, %zu left\n", pool.expire(now), pool.size());
    return 0;
}
