#include <cstdio>
#include <memory>
#include <unordered_map>

struct Session {
    int id;
    int left;
};

using Sessions = std::unordered_map<int, std::unique_ptr<Session>>;

__attribute__((noinline)) static void expire(Sessions &sessions)
{
    for (auto &entry : sessions)
        if (--entry.second->left <= 0)
            sessions.erase(entry.first);
}

int main()
{
    Sessions sessions;
    for (int id = 0; id < 50; id++)
        sessions[id] = std::make_unique<Session>(Session{id, id % 4});
    for (int round = 0; round < 6; round++)
        expire(sessions);
    std::printf("%zu\n", sessions.size());
    return 0;
}
