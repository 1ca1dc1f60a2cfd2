/* attack: flags=-O0; values=exposure:&frame_ */
#include <memory>
#include <vector>
struct Image { int size = 4; int sum() const { return size; } };
class Stage {
public:
    void accept(std::unique_ptr<Image> image) { images_.push_back(std::move(image)); }

private:
    std::vector<std::unique_ptr<Image>> images_;
};
class Camera {
public:
    explicit Camera(Stage &stage) : stage_(stage) {}
    void shoot()
    {
        frame_ = std::make_unique<Image>();
        taken_++;
    }
    void hand() { stage_.accept(std::move(frame_)); }
    int exposure() const { return frame_->sum() / 16; }
    int taken() const { return taken_; }

private:
    Stage &stage_;
    std::unique_ptr<Image> frame_;
    int taken_ = 0;
};
int main(int argc, char **)
{
    Stage stage;
    Camera camera(stage);
    camera.shoot();
    if (argc > 5)
        camera.hand();
    Camera second = std::move(camera);       /*!*/
    return camera.exposure() + second.taken();
}
