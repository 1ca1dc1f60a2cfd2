/* attack: flags=-O0 */
#include <cstdio>
#include <vector>
struct Font { int size; };
class Source {
  public:
    virtual ~Source() = default;
    virtual Font *lookup(int id) { return nullptr; }
};
class Table : public Source {
  public:
    Table() : fonts_(4) {}
    void put(int id, Font *font) { fonts_[id] = font; }
    Font *lookup(int id) override { return fonts_[id]; }          /*!*/
  private:
    std::vector<Font *> fonts_;
};
static int height(Source *source, int id)
{
    Font *font = source->lookup(id);
    return font->size;
}
int main()
{
    Table table;
    Font mono{11};
    table.put(1, &mono);
    int sum = height(&table, 1);
    sum += height(&table, 2);
    std::printf("%d\n", sum);
    return 0;
}
