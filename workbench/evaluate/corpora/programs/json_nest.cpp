#include <cstdio>
#include <string>

class Parser {
public:
    explicit Parser(const std::string &text) : text_(text) {}
    __attribute__((noinline)) int value()
    {
        if (text_[at_] == '[')
            return array() + 1;
        ++at_;
        return 0;
    }

private:
    __attribute__((noinline)) int array()
    {
        char scratch[96] = {text_[at_]};
        ++at_;
        int deepest = value();
        ++at_;
        return deepest + (scratch[0] != '[');
    }

    const std::string &text_;
    std::size_t at_ = 0;
};

int main()
{
    std::string text(400000, '[');
    std::printf("%d\n", Parser(text + "1").value());
    return 0;
}
