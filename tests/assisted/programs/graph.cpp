// A graph of nodes kept in one vector; edges keep pointers to their ends.
#include <cstdio>
#include <string>
#include <vector>

struct Style {
  int width = 1;
  std::string colour = "black";
};

struct Node {
  int id = 0;
  const Style *style = nullptr;
  double x = 0, y = 0;
};

struct Edge {
  Node *from = nullptr;
  Node *to = nullptr;
};

class Graph {
public:
  Node &add(const Style &style) {
    Node node;
    node.id = static_cast<int>(nodes_.size());
    node.style = &style;
    nodes_.push_back(node);
    return nodes_.back();
  }

  void connect(Node &from, Node &to) {
    Edge edge;
    edge.from = &from;
    edge.to = &to;
    edges_.push_back(edge);
  }

  Node &at(std::size_t n) { return nodes_[n]; }
  std::size_t size() const { return nodes_.size(); }
  int thickness() const;

private:
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
};

__attribute__((noinline)) static int width_of(const Edge &edge) {
  return edge.from->style->width + edge.to->style->width;
}

int Graph::thickness() const {
  int total = 0;
  for (const Edge &edge : edges_)
    total += width_of(edge);
  return total;
}

static void chain(Graph &graph, const Style &style, int length) {
  Node *last = &graph.add(style);
  for (int i = 1; i < length; i++) {
    Node &next = graph.add(style);
    graph.connect(*last, next);
    last = &next;
  }
}

int main() {
  Style plain, bold;
  bold.width = 3;
  Graph graph;
  chain(graph, plain, 4);
  chain(graph, bold, 3);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < graph.size(); i++)
    labels.push_back("a label of the node number " + std::to_string(graph.at(i).id));
  std::printf("%d %zu\n", graph.thickness(), labels.size());
  return 0;
}
