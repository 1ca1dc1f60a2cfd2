/* attack: flags=-O0 */
struct theme { int border; };
class strip {
public:
    strip(const theme *look, int width) : width_(width), look_(look)
    {
        for (int at = 0; at < width_; at++)
            cells_[at] = 0;
    }
    void shift(unsigned long fill)
    {
        for (int at = 1; at < width_; at++)
            cells_[at - 1] = cells_[at];
        cells_[width_] = fill;
    }
    void flash(unsigned long fill)
    {
        unsigned long &last = *(&cells_[width_ - 1] + 1);
        last = fill; /*!*/
    }
    int paint() const { return look_->border; }
private:
    int width_;
    unsigned long cells_[4];
    const theme *look_;
};
int main(int argc, char **)
{
    static const theme dark{3};
    strip *one = new strip(&dark, 4), *few = new strip(&dark, 3);
    few->shift(argc * 0x4343434343434343ul);
    one->flash(argc * 0x4343434343434343ul);
    return one->paint();
}
