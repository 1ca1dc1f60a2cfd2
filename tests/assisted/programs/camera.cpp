#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Image {
    std::string name;
    std::vector<int> pixels;
    int sum() const
    {
        int total = 0;
        for (int pixel : pixels)
            total += pixel;
        return total;
    }
};

class Stage {
public:
    void accept(std::unique_ptr<Image> image) { images_.push_back(std::move(image)); }
    std::size_t waiting() const { return images_.size(); }

private:
    std::vector<std::unique_ptr<Image>> images_;
};

class Camera {
public:
    explicit Camera(Stage &stage) : stage_(stage) {}
    void shoot(const std::string &name, int light)
    {
        frame_ = std::make_unique<Image>();
        frame_->name = name;
        frame_->pixels.assign(16, light);
        taken_++;
        bright_ = light > 100;
        if (bright_)
            stage_.accept(std::move(frame_));
    }
    int exposure() const { return frame_->sum() / 16; }
    int taken() const { return taken_; }

private:
    Stage &stage_;
    std::unique_ptr<Image> frame_;
    int taken_ = 0;
    bool bright_ = false;
};

static int meter(const Camera &camera)
{
    int value = camera.exposure();
    std::printf("exposure %d after %d\n", value, camera.taken());
    return value;
}

int main()
{
    Stage stage;
    Camera camera(stage);
    const int lights[] = {40, 80, 160};
    int total = 0;
    for (int light : lights) {
        camera.shoot("frame", light);
        total += meter(camera);
    }
    std::printf("%d, %zu waiting\n", total, stage.waiting());
    return 0;
}
