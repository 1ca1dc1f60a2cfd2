/* attack: flags=-O1 -std=c++17 */
// What was clicked last is owned by a variable, which releases it.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

class Widget {
 public:
  explicit Widget(std::string title) : title_(std::move(title)) {}
  virtual ~Widget() = default;
  virtual int draw() const = 0;
  const std::string &title() const { return title_; }

 protected:
  std::string title_;
};

class Label : public Widget {
 public:
  using Widget::Widget;
  int draw() const override { return static_cast<int>(title_.size()); }
};

class Button : public Widget {
 public:
  Button(std::string title, int width) : Widget(std::move(title)), width_(width) {}
  int draw() const override { return width_; }

 private:
  int width_;
};

class Screen {
 public:
  Widget *add(std::unique_ptr<Widget> widget) {
    widgets_.push_back(std::move(widget));
    return widgets_.back().get();
  }
  void close(const std::string &title) {
    for (auto at = widgets_.begin(); at != widgets_.end(); ++at)
      if ((*at)->title() == title) {
        widgets_.erase(at);
        return;
      }
  }
  std::size_t size() const { return widgets_.size(); }

 private:
  std::vector<std::unique_ptr<Widget>> widgets_;
};

class Input {
 public:
  void click(Widget *widget) { focus_ = widget; }
  int key() const { return focus_ ? focus_->draw() : 0; }

 private:
  Widget *focus_ = nullptr;
};

class Application {
 public:
  void open(const char *title, bool dialog) {
    Widget *made = dialog ? screen_.add(std::make_unique<Button>(title, 12))
                          : screen_.add(std::make_unique<Label>(title));
    input_.click(made);
  }
  void close(const char *title) { screen_.close(title); }
  void flash(const char *title) {
    auto made = std::make_unique<Button>(title, 3);
    input_.click(made.get());
    input_.key();
  }
  int type(int keys) {
    int drawn = 0;
    for (int i = 0; i < keys; i++) drawn += input_.key();
    return drawn + static_cast<int>(screen_.size());
  }

 private:
  Screen screen_;
  Input input_;
};

int main() {
  Application application;
  application.open("status", false);
  application.open("Do you want to save the changes?", true);
  std::printf("%d\n", application.type(3));
  application.close("none");
  application.flash("Saved. A long enough text for the heap");
  std::printf("%d\n", application.type(2));
  return 0;
}
