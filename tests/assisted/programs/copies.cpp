// Samples of a sensor in a block of their own; a copy of a series shares the block.
#include <cstddef>
#include <cstdio>
#include <cstring>

class Series {
public:
    Series(const char *name, std::size_t room) : room_(room), used_(0), samples_(new double[room])
    {
        std::snprintf(name_, sizeof name_, "%s", name);
    }
    ~Series() { delete[] samples_; }

    void add(double value)
    {
        if (used_ < room_)
            samples_[used_++] = value;
    }
    double mean() const
    {
        double sum = 0;
        for (std::size_t at = 0; at < used_; ++at)
            sum += samples_[at];
        return used_ > 0 ? sum / used_ : 0;
    }
    const char *name() const { return name_; }

private:
    char name_[16];
    std::size_t room_;
    std::size_t used_;
    double *samples_;
};

static double spread(Series series, double around)
{
    series.add(around);
    return series.mean() - around;
}

static void report(const Series &series)
{
    std::printf("%s: %.2f\n", series.name(), series.mean());
}

int main()
{
    Series warm("warm", 16), cold("cold", 16);

    for (int at = 0; at < 8; ++at) {
        warm.add(20 + at);
        cold.add(-at);
    }
    report(warm);
    report(cold);
    std::printf("%.2f\n", spread(warm, 21));
    report(cold);
    return 0;
}
