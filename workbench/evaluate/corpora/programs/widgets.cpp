struct Widget {
    Widget() { setup(); }
    void setup() { draw(); }
    virtual ~Widget() {}
    virtual void draw() = 0;
};

struct Button : Widget {
    void draw() override {}
};

int main()
{
    Button button;
}
