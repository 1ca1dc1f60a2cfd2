// Layers of a small network: weights of a matrix each, and what they add up to.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

class Matrix {
public:
    Matrix(int rows, int columns) : rows_(rows), columns_(columns), cells_(new double[rows * rows]) {}
    Matrix(const Matrix &) = delete;
    Matrix &operator=(const Matrix &) = delete;
    ~Matrix() { delete[] cells_; }

    void fill(double value)
    {
        for (int row = 0; row < rows_; ++row)
            for (int column = 0; column < columns_; ++column)
                cells_[row * columns_ + column] = value;
    }
    double at(int row, int column) const { return cells_[row * columns_ + column]; }
    int rows() const { return rows_; }
    int columns() const { return columns_; }

private:
    int rows_;
    int columns_;
    double *cells_;
};

struct Activation {
    const char *name;
    double (*apply)(double);
};

static double relu(double value) { return value > 0 ? value : 0; }
static double same(double value) { return value; }

class Layer {
public:
    Layer(int rows, int columns) : weights_(rows, columns), activation_(new Activation{"relu", relu}) {}
    ~Layer() { delete activation_; }

    void train(double value) { weights_.fill(value); }
    double run(double input) const
    {
        double sum = 0;
        for (int column = 0; column < weights_.columns(); ++column)
            sum += weights_.at(0, column) * input;
        return activation_->apply(sum);
    }
    void linear() { activation_->apply = same; }

private:
    Matrix weights_;
    Activation *activation_;
};

class Network {
public:
    Layer &add(int rows, int columns)
    {
        layers_.push_back(std::make_unique<Layer>(rows, columns));
        return *layers_.back();
    }
    double run(double input) const
    {
        for (const auto &layer : layers_)
            input = layer->run(input);
        return input;
    }

private:
    std::vector<std::unique_ptr<Layer>> layers_;
};

int main()
{
    Network network;

    network.add(4, 4).train(0.25);
    network.add(4, 8).linear();
    network.add(2, 2).train(0.5);
    std::printf("%f\n", network.run(1.0));
    network.add(3, 5).train(1.5);
    std::printf("%f\n", network.run(2.0));
}
