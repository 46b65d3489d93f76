// Nested dissection: halve the graph by a small set of vertices, order the halves first and the
// separator last, recurse. Separators are found on a sequence of coarser graphs and refined on the
// way back by moving separator vertices into one side (which pulls their neighbours of the other
// side into the separator), with hill climbing and roll-back.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "haptos/solve/ordering/ordering.h"

namespace haptos {
namespace {

constexpr int kCoarsest = 60;         // vertices of the graph that is bisected from scratch
constexpr int kStarts = 8;            // first bisections tried on it
constexpr int kPasses = 4;            // refinement passes per level at most
constexpr double kLargestSide = 0.6;  // of the weight of both sides and the separator

enum Part : unsigned char { kLeft = 0, kRight = 1, kSeparator = 2 };

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Level {
  BlockGraph graph;
  std::vector<int> edge_weight;
  std::vector<int> coarse;  // vertex of the next coarser level
};

struct Random {
  std::uint64_t state;
  std::uint32_t next(std::uint32_t n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::uint32_t>((state >> 33) % n);
  }
};

int total_weight(const BlockGraph& g) {
  return std::accumulate(g.weight.begin(), g.weight.end(), 0);
}

// Joins each vertex with the free neighbour it shares most edges with.
Level coarsen(Level& fine, Random& random) {
  const BlockGraph& g = fine.graph;
  const int n = g.vertex_count();
  std::vector<int> order(at(n)), mate(at(n), -1);
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i)
    std::swap(order[at(i)], order[random.next(static_cast<std::uint32_t>(i) + 1)]);
  // Low degrees first: they have the fewest partners.
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return g.begin[at(a) + 1] - g.begin[at(a)] < g.begin[at(b) + 1] - g.begin[at(b)];
  });
  const int heaviest = std::max(3 * total_weight(g) / (2 * kCoarsest), 1);
  for (int v : order) {
    if (mate[at(v)] >= 0) continue;
    int best = v, most = 0;
    for (int k = g.begin[at(v)]; k < g.begin[at(v) + 1]; ++k) {
      const int u = g.neighbor[at(k)];
      if (mate[at(u)] < 0 && fine.edge_weight[at(k)] > most &&
          g.weight[at(u)] + g.weight[at(v)] <= heaviest) {
        best = u;
        most = fine.edge_weight[at(k)];
      }
    }
    mate[at(v)] = best;
    mate[at(best)] = v;
  }
  Level c;
  fine.coarse.assign(at(n), -1);
  std::vector<std::array<int, 2>> members;
  for (int v = 0; v < n; ++v) {
    if (fine.coarse[at(v)] >= 0) continue;
    fine.coarse[at(v)] = fine.coarse[at(mate[at(v)])] = static_cast<int>(members.size());
    members.push_back({v, mate[at(v)]});
  }
  std::vector<int> where(members.size(), -1);
  for (std::size_t m = 0; m < members.size(); ++m) {
    const int first = static_cast<int>(c.graph.neighbor.size());
    int weight = 0;
    for (int side = 0; side < (members[m][0] == members[m][1] ? 1 : 2); ++side) {
      const int v = members[m][at(side)];
      weight += g.weight[at(v)];
      for (int k = g.begin[at(v)]; k < g.begin[at(v) + 1]; ++k) {
        const int u = fine.coarse[at(g.neighbor[at(k)])];
        if (u == static_cast<int>(m)) continue;
        if (where[at(u)] < first) {
          where[at(u)] = static_cast<int>(c.graph.neighbor.size());
          c.graph.neighbor.push_back(u);
          c.edge_weight.push_back(0);
        }
        c.edge_weight[at(where[at(u)])] += fine.edge_weight[at(k)];
      }
    }
    c.graph.weight.push_back(weight);
    c.graph.begin.push_back(static_cast<int>(c.graph.neighbor.size()));
  }
  return c;
}

class Refiner {
 public:
  Refiner(const BlockGraph& graph, std::vector<unsigned char>& part)
      : g_(graph), part_(part), locked_(part.size(), 0), beside_(part.size(), {0, 0}) {
    for (int v = 0; v < g_.vertex_count(); ++v) {
      side_[part_[at(v)]] += g_.weight[at(v)];
      if (part_[at(v)] < 2)
        for (int k = g_.begin[at(v)]; k < g_.begin[at(v) + 1]; ++k)
          beside_[at(g_.neighbor[at(k)])][part_[at(v)]] += g_.weight[at(v)];
    }
    const int total = side_[0] + side_[1] + side_[2];
    limit_ = std::max(static_cast<int>(kLargestSide * total), total / 2 + 1);
  }

  // What is minimised: the separator, and a little the difference of the sides.
  double cost() const {
    const double excess = std::max(0, std::max(side_[0], side_[1]) - limit_);
    return side_[2] +
           0.05 * side_[2] * std::abs(side_[0] - side_[1]) / (side_[0] + side_[1] + 1.0) +
           2 * excess;
  }
  bool one_sided() const { return side_[0] == 0 || side_[1] == 0; }

  void refine() {
    for (int pass = 0; pass < kPasses; ++pass)
      if (!improve()) break;
  }

 private:
  struct Move {
    int gain, vertex;
    bool operator<(const Move& o) const {
      return gain != o.gain ? gain < o.gain : vertex > o.vertex;
    }
  };

  // What the separator loses when v leaves it for side `to`.
  int gain(int v, int to) const { return g_.weight[at(v)] - beside_[at(v)][1 - to]; }

  // The best move still valid to one side, or nothing. Outdated offers are dropped on the way.
  const Move* best(int to) {
    auto& q = moves_[to];
    while (!q.empty()) {
      const Move& m = q.top();
      if (part_[at(m.vertex)] == kSeparator && !locked_[at(m.vertex)] &&
          m.gain == gain(m.vertex, to) && side_[to] + g_.weight[at(m.vertex)] <= limit_)
        return &q.top();
      q.pop();
    }
    return nullptr;
  }

  // Moves v to a part; with `offering`, renews the offers of the separator vertices around it.
  void set(int v, int to, bool offering) {
    const int from = part_[at(v)], w = g_.weight[at(v)];
    side_[from] -= w;
    side_[to] += w;
    part_[at(v)] = static_cast<unsigned char>(to);
    for (int k = g_.begin[at(v)]; k < g_.begin[at(v) + 1]; ++k) {
      const int u = g_.neighbor[at(k)];
      if (from < 2) beside_[at(u)][from] -= w;
      if (to < 2) beside_[at(u)][to] += w;
      if (!offering || part_[at(u)] != kSeparator || locked_[at(u)]) continue;
      if (from < 2) moves_[1 - from].push({gain(u, 1 - from), u});
      if (to < 2) moves_[1 - to].push({gain(u, 1 - to), u});
    }
    if (offering && to == kSeparator && !locked_[at(v)]) offer(v);
  }
  void offer(int v) {
    for (int to = 0; to < 2; ++to) moves_[to].push({gain(v, to), v});
  }

  bool improve() {
    std::fill(locked_.begin(), locked_.end(), 0);
    log_.clear();
    for (auto& q : moves_) q.clear();
    for (int v = 0; v < g_.vertex_count(); ++v)
      if (part_[at(v)] == kSeparator) offer(v);
    const double start = cost();
    double lowest = start;
    std::size_t keep = 0;
    int vain = 0;
    const int patience = 20 + g_.vertex_count() / 100;
    while (vain < patience) {
      const Move* left = best(0);
      const Move* right = best(1);
      if (left == nullptr && right == nullptr) break;
      const bool to_left = right == nullptr ||
                           (left != nullptr && (left->gain != right->gain ? left->gain > right->gain
                                                                          : side_[0] <= side_[1]));
      const int to = to_left ? 0 : 1, v = to_left ? left->vertex : right->vertex;
      moves_[to].pop();
      locked_[at(v)] = 1;
      log_.push_back({v, kSeparator});
      set(v, to, true);
      for (int k = g_.begin[at(v)]; k < g_.begin[at(v) + 1]; ++k) {
        const int u = g_.neighbor[at(k)];
        if (part_[at(u)] != 1 - to) continue;
        log_.push_back({u, part_[at(u)]});
        set(u, kSeparator, true);
      }
      if (cost() < lowest - 1e-9) {
        lowest = cost();
        keep = log_.size();
        vain = 0;
      } else {
        ++vain;
      }
    }
    for (; log_.size() > keep; log_.pop_back()) set(log_.back().vertex, log_.back().was, false);
    return lowest < start - 1e-9;
  }

  struct Change {
    int vertex;
    unsigned char was;
  };
  // A priority queue whose memory is kept.
  struct Queue {
    std::vector<Move> heap;
    bool empty() const { return heap.empty(); }
    void clear() { heap.clear(); }
    const Move& top() const { return heap.front(); }
    void push(Move m) {
      heap.push_back(m);
      std::push_heap(heap.begin(), heap.end());
    }
    void pop() {
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
  };
  const BlockGraph& g_;
  std::vector<unsigned char>& part_;
  std::vector<unsigned char> locked_;
  std::vector<std::array<int, 2>> beside_;  // weight of the neighbours in each side
  Queue moves_[2];
  std::vector<Change> log_;
  int side_[3] = {0, 0, 0};
  int limit_ = 0;
};

// Breadth first from a random vertex, until half of the weight is taken.
std::vector<unsigned char> grow(const BlockGraph& g, Random& random) {
  const int n = g.vertex_count();
  std::vector<unsigned char> part(at(n), kRight);
  std::vector<int> queue;
  const int half = total_weight(g) / 2;
  int taken = 0;
  std::size_t next = 0;
  while (taken < half) {
    if (next == queue.size()) {
      int v = static_cast<int>(random.next(static_cast<std::uint32_t>(n)));
      while (part[at(v)] == kLeft) v = (v + 1) % n;
      part[at(v)] = kLeft;
      taken += g.weight[at(v)];
      queue.push_back(v);
      continue;
    }
    const int v = queue[next++];
    for (int k = g.begin[at(v)]; k < g.begin[at(v) + 1] && taken < half; ++k) {
      const int u = g.neighbor[at(k)];
      if (part[at(u)] == kLeft) continue;
      part[at(u)] = kLeft;
      taken += g.weight[at(u)];
      queue.push_back(u);
    }
  }
  for (int v = 0; v < n; ++v) {
    if (part[at(v)] != kLeft) continue;
    for (int k = g.begin[at(v)]; k < g.begin[at(v) + 1]; ++k)
      if (part[at(g.neighbor[at(k)])] == kRight) {
        part[at(v)] = kSeparator;
        break;
      }
  }
  return part;
}

// The parts of the graph, or nothing where it has no useful separator.
std::vector<unsigned char> bisect(const BlockGraph& graph, Random& random) {
  std::vector<Level> levels(1);
  levels[0].graph = graph;
  levels[0].edge_weight.assign(graph.neighbor.size(), 1);
  while (levels.back().graph.vertex_count() > kCoarsest) {
    Level c = coarsen(levels.back(), random);
    if (c.graph.vertex_count() > 0.95 * levels.back().graph.vertex_count()) break;
    levels.push_back(std::move(c));
  }
  std::vector<unsigned char> part;
  double lowest = 0;
  for (int start = 0; start < kStarts; ++start) {
    std::vector<unsigned char> trial = grow(levels.back().graph, random);
    Refiner refiner(levels.back().graph, trial);
    refiner.refine();
    if (refiner.one_sided()) continue;
    if (part.empty() || refiner.cost() < lowest) {
      lowest = refiner.cost();
      part = std::move(trial);
    }
  }
  if (part.empty()) return part;
  for (std::size_t l = levels.size() - 1; l-- > 0;) {
    std::vector<unsigned char> finer(levels[l].coarse.size());
    for (std::size_t v = 0; v < finer.size(); ++v) finer[v] = part[at(levels[l].coarse[v])];
    part = std::move(finer);
    Refiner(levels[l].graph, part).refine();
  }
  return part;
}

void dissect(const BlockGraph& graph, const std::vector<int>& names, int leaf, Random& random,
             std::vector<int>& order) {
  std::vector<unsigned char> part;
  if (graph.vertex_count() > leaf) part = bisect(graph, random);
  std::vector<int> side[3];
  for (std::size_t v = 0; v < part.size(); ++v) side[part[v]].push_back(static_cast<int>(v));
  const std::size_t larger = std::max(side[kLeft].size(), side[kRight].size());
  if (side[kLeft].empty() || side[kRight].empty() || 10 * larger > 9 * part.size()) {
    for (int v : minimum_degree_order(graph)) order.push_back(names[at(v)]);
    return;
  }
  std::vector<int> scratch(part.size(), -1);
  for (const auto& vertices : {side[kLeft], side[kRight]}) {
    std::vector<int> inner;
    inner.reserve(vertices.size());
    for (int v : vertices) inner.push_back(names[at(v)]);
    dissect(subgraph(graph, vertices, scratch), inner, leaf, random, order);
  }
  for (int v : side[kSeparator]) order.push_back(names[at(v)]);
}

}  // namespace

std::vector<int> nested_dissection_order(const BlockGraph& graph, int leaf) {
  std::vector<int> names(at(graph.vertex_count())), order;
  std::iota(names.begin(), names.end(), 0);
  order.reserve(names.size());
  Random random{20240229};
  dissect(graph, names, std::max(leaf, 4), random, order);
  return order;
}

}  // namespace haptos
