#include <cstdio>
#include <vector>

__attribute__((noinline)) static void tally(std::vector<int> &bins, const std::vector<int> &values)
{
    for (int value : values)
        bins[value / 10] += 1;
}

__attribute__((noinline)) static int summarise(const std::vector<int> &values)
{
    std::vector<int> bins(10), again(10);
    tally(bins, values);
    tally(again, values);
    return bins[0] + again[0];
}

int main()
{
    std::vector<int> values;
    for (int value = 0; value < 140; value += 4)
        values.push_back(value);
    std::printf("%d\n", summarise(values));
    return 0;
}
