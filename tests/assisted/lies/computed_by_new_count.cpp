/* attack: flags=-O0 */
class index_of {
public:
    explicit index_of(int count) : count_(count), buckets_(new long *[count]()) {}
    void widen() { count_ = 0x7fffffff; /*!*/ }
    long seen(unsigned hash) const
    {
        int at = slot(hash);
        const long *word = buckets_[at];
        return *word;
    }
private:
    int slot(unsigned hash) const
    {
        int place = hash % count_;
        return place;
    }
    int count_;
    long **buckets_;
};
int main(int argc, char **)
{
    index_of *one = new index_of(61);
    one->widen();
    return (int)one->seen(argc * 0x60000000u);
}
