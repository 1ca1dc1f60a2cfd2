#include <memory>
struct Doc { long *words; int id; Doc(long *w, int i) : words(w), id(i) {} ~Doc() { words = nullptr; } };
class Store {
public:
    void load(long *w) { current_.reset(new Doc(w, 1)); }
    void reload(long *w)
    {
        Doc *next = new Doc(w, 2);
        current_.reset(next);
    }
    void close() { if (!current_) return; current_.reset(); }
    Doc *current() { return current_.get(); }
private:
    std::unique_ptr<Doc> current_;
};
struct View { Doc *doc = nullptr; int hits = 0; };
static long count(View &v)
{
    v.hits++;
    return *v.doc->words;
}
int main()
{
    static long words = 7;
    Store store;
    View view;
    store.load(&words);
    view.doc = store.current();
    count(view);
    store.reload(&words);
    return static_cast<int>(count(view));
}
