#include <cstdio>
#include <memory>
#include <string>
#include <vector>

class Cipher {
public:
    explicit Cipher(unsigned key) : key_(key) {}
    __attribute__((noinline)) unsigned char step(unsigned char in)
    {
        key_ = key_ * 1103515245 + 12345;
        return in ^ static_cast<unsigned char>(key_ >> 16);
    }

private:
    unsigned key_;
};

class Session {
public:
    enum State { New, Greeted, Keyed, Ready, Closed };
    explicit Session(int id) : id_(id) {}

    __attribute__((noinline)) void greet() { state_ = Greeted; }
    __attribute__((noinline)) void key(unsigned key)
    {
        if (state_ != Greeted)
            return;
        cipher_ = std::make_unique<Cipher>(key);
        state_ = Keyed;
    }
    __attribute__((noinline)) void ready()
    {
        if (state_ == Keyed)
            state_ = Ready;
    }
    __attribute__((noinline)) void resume(unsigned ticket)
    {
        ticket_ = ticket;
        state_ = Ready;
    }
    __attribute__((noinline)) bool write(const std::string &text)
    {
        if (state_ != Ready)
            return false;
        for (char c : text)
            out_.push_back(cipher_->step(static_cast<unsigned char>(c)));
        return true;
    }
    std::size_t size() const { return out_.size(); }

private:
    int id_;
    State state_ = New;
    unsigned ticket_ = 0;
    std::unique_ptr<Cipher> cipher_;
    std::vector<unsigned char> out_;
};

class Server {
public:
    __attribute__((noinline)) Session *accept()
    {
        sessions_.push_back(std::make_unique<Session>(static_cast<int>(sessions_.size())));
        return sessions_.back().get();
    }

private:
    std::vector<std::unique_ptr<Session>> sessions_;
};

int main()
{
    Server server;
    Session *first = server.accept();
    first->greet();
    first->key(77);
    first->ready();
    first->write("hello");
    Session *second = server.accept();
    second->greet();
    second->resume(9);
    second->write("again");
    std::printf("%zu %zu\n", first->size(), second->size());
}
