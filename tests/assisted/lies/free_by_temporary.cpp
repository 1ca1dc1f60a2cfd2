/* attack: flags=-O0 */
#include <cstdio>
struct Tag { long id; };
static Tag plain{7};
struct Node { Tag *tag; long weight; Node *next; };
class Box {
public:
    Box(Node *n) : node(n) {}
    ~Box() { delete node; }                                   /*!*/
    Node *node;
};
static Box wrap(Node *n) { return {n}; }
static void drop(Node *n) { delete n; }
static long weigh(Node *n) { return n->tag->id + n->weight; }
int main()
{
    Node *a = new Node{&plain, 1, nullptr}, *b = new Node{&plain, 2, nullptr};
    Box box(new Node{&plain, 3, nullptr});
    drop(b);
    long w = wrap(a).node->weight;
    std::printf("%ld\n", weigh(a) + w);
}
