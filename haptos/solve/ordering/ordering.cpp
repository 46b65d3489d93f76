#include "haptos/solve/ordering/ordering.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace haptos {
namespace {

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The quotient graph. A variable i lists its elements, then its variables; an element lists its
// variables. Eliminating a variable turns it into an element that takes in the elements it touched.
class QuotientGraph {
 public:
  explicit QuotientGraph(const BlockGraph& graph);
  std::vector<int> eliminate_all();

 private:
  enum class Kind : unsigned char { kVariable, kElement, kDead };

  void insert(int i, int degree);
  void remove(int i);
  int pop_smallest();
  void form_element(int p);
  void scan_elements(int p);
  void update_variables(int p);
  void merge_equal_variables(int p);
  void finish(int p);
  void join(int into, int other);

  int n_;
  std::vector<int> list_;               // all adjacency lists; new elements go to the end
  std::vector<std::ptrdiff_t> begin_;   // where the list of i begins
  std::vector<int> elements_, length_;  // elements in the list of variable i; all of its list
  std::vector<int> weight_, degree_;    // negative weight: in the element being formed
  std::vector<Kind> kind_;
  std::vector<int> head_, next_, previous_;     // degree lists
  std::vector<int> last_member_, next_member_;  // vertices that a variable stands for
  std::vector<std::int64_t> stamp_;
  std::vector<std::uint32_t> hash_;
  std::vector<int> bucket_, bucket_next_;
  std::vector<int> kept_elements_, kept_variables_;
  std::int64_t now_ = 1;
  int smallest_ = 0, left_ = 0, total_ = 0, element_weight_ = 0;
};

QuotientGraph::QuotientGraph(const BlockGraph& graph)
    : n_(graph.vertex_count()), list_(graph.neighbor), weight_(graph.weight) {
  const std::size_t n = at(n_);
  begin_.assign(graph.begin.begin(), graph.begin.end());
  list_.reserve(list_.size() * 2);
  elements_.assign(n, 0);
  length_.resize(n);
  degree_.assign(n, 0);
  kind_.assign(n, Kind::kVariable);
  next_.assign(n, -1);
  previous_.assign(n, -1);
  last_member_.resize(n);
  next_member_.assign(n, -1);
  stamp_.assign(n, 0);
  hash_.assign(n, 0);
  bucket_.assign(n, -1);
  bucket_next_.assign(n, -1);
  for (int w : weight_) total_ += w;
  left_ = total_;
  head_.assign(at(total_) + 1, -1);
  smallest_ = total_;
  for (int i = 0; i < n_; ++i) {
    last_member_[at(i)] = i;
    length_[at(i)] = graph.begin[at(i) + 1] - graph.begin[at(i)];
    for (int k = 0; k < length_[at(i)]; ++k)
      degree_[at(i)] += weight_[at(list_[at(graph.begin[at(i)] + k)])];
  }
  // Later vertices are put in first, so that ties go to the lowest number.
  for (int i = n_ - 1; i >= 0; --i) insert(i, degree_[at(i)]);
}

void QuotientGraph::insert(int i, int degree) {
  degree_[at(i)] = degree;
  const int h = head_[at(degree)];
  next_[at(i)] = h;
  previous_[at(i)] = -1;
  if (h >= 0) previous_[at(h)] = i;
  head_[at(degree)] = i;
  smallest_ = std::min(smallest_, degree);
}

void QuotientGraph::remove(int i) {
  const int p = previous_[at(i)], q = next_[at(i)];
  if (p >= 0)
    next_[at(p)] = q;
  else
    head_[at(degree_[at(i)])] = q;
  if (q >= 0) previous_[at(q)] = p;
}

int QuotientGraph::pop_smallest() {
  while (head_[at(smallest_)] < 0) ++smallest_;
  const int p = head_[at(smallest_)];
  remove(p);
  return p;
}

void QuotientGraph::join(int into, int other) {
  next_member_[at(last_member_[at(into)])] = other;
  last_member_[at(into)] = last_member_[at(other)];
  weight_[at(other)] = 0;
  kind_[at(other)] = Kind::kDead;
}

// The element of pivot p: all live variables that p or one of its elements reaches.
void QuotientGraph::form_element(int p) {
  const std::ptrdiff_t start = static_cast<std::ptrdiff_t>(list_.size());
  const int own = weight_[at(p)];
  weight_[at(p)] = -own;
  element_weight_ = 0;
  const auto take = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
    for (std::ptrdiff_t k = from; k < to; ++k) {
      const int i = list_[static_cast<std::size_t>(k)];
      if (weight_[at(i)] <= 0) continue;
      element_weight_ += weight_[at(i)];
      weight_[at(i)] = -weight_[at(i)];
      remove(i);
      list_.push_back(i);
    }
  };
  const std::ptrdiff_t b = begin_[at(p)];
  for (std::ptrdiff_t k = b; k < b + elements_[at(p)]; ++k) {
    const int e = list_[static_cast<std::size_t>(k)];
    if (kind_[at(e)] != Kind::kElement) continue;
    take(begin_[at(e)], begin_[at(e)] + length_[at(e)]);
    kind_[at(e)] = Kind::kDead;
  }
  take(b + elements_[at(p)], b + length_[at(p)]);
  kind_[at(p)] = Kind::kElement;
  begin_[at(p)] = start;
  length_[at(p)] = static_cast<int>(static_cast<std::ptrdiff_t>(list_.size()) - start);
  elements_[at(p)] = 0;
  left_ -= own;
}

// stamp_[e] - now_ becomes the weight of element e outside element p.
void QuotientGraph::scan_elements(int p) {
  for (int k = 0; k < length_[at(p)]; ++k) {
    const int i = list_[static_cast<std::size_t>(begin_[at(p)] + k)];
    const int w = -weight_[at(i)];
    for (int m = 0; m < elements_[at(i)]; ++m) {
      const int e = list_[static_cast<std::size_t>(begin_[at(i)] + m)];
      if (kind_[at(e)] != Kind::kElement) continue;
      if (stamp_[at(e)] >= now_)
        stamp_[at(e)] -= w;
      else
        stamp_[at(e)] = degree_[at(e)] + now_ - w;
    }
  }
}

// Shortens the list of every variable of element p, bounds its degree, and eliminates with p the
// variables that see nothing else.
void QuotientGraph::update_variables(int p) {
  int eliminated = 0;
  for (int k = 0; k < length_[at(p)]; ++k) {
    const int i = list_[static_cast<std::size_t>(begin_[at(p)] + k)];
    kept_elements_.clear();
    kept_variables_.clear();
    std::uint32_t hash = static_cast<std::uint32_t>(p);
    std::int64_t outside = 0;
    const std::ptrdiff_t b = begin_[at(i)];
    for (std::ptrdiff_t m = b; m < b + elements_[at(i)]; ++m) {
      const int e = list_[static_cast<std::size_t>(m)];
      if (kind_[at(e)] != Kind::kElement) continue;
      const std::int64_t rest = stamp_[at(e)] - now_;
      if (rest > 0) {
        kept_elements_.push_back(e);
        outside += rest;
        hash += static_cast<std::uint32_t>(e);
      } else {
        kind_[at(e)] = Kind::kDead;  // all of e lies in p
      }
    }
    for (std::ptrdiff_t m = b + elements_[at(i)]; m < b + length_[at(i)]; ++m) {
      const int j = list_[static_cast<std::size_t>(m)];
      if (weight_[at(j)] <= 0) continue;
      kept_variables_.push_back(j);
      outside += weight_[at(j)];
      hash += static_cast<std::uint32_t>(j);
    }
    if (outside == 0) {
      eliminated -= weight_[at(i)];
      join(p, i);
      continue;
    }
    // The new list fits: the pivot left it, or an element that the pivot took in.
    auto to = list_.begin() + b;
    *to++ = p;
    to = std::copy(kept_elements_.begin(), kept_elements_.end(), to);
    std::copy(kept_variables_.begin(), kept_variables_.end(), to);
    elements_[at(i)] = static_cast<int>(kept_elements_.size()) + 1;
    length_[at(i)] = elements_[at(i)] + static_cast<int>(kept_variables_.size());
    degree_[at(i)] = static_cast<int>(std::min<std::int64_t>(degree_[at(i)], outside));
    hash_[at(i)] = hash % static_cast<std::uint32_t>(n_);
  }
  left_ -= eliminated;
  element_weight_ -= eliminated;
}

// Variables of p with equal lists stay equal: one stands for all.
void QuotientGraph::merge_equal_variables(int p) {
  const std::ptrdiff_t b = begin_[at(p)];
  for (int k = 0; k < length_[at(p)]; ++k) {
    const int i = list_[static_cast<std::size_t>(b + k)];
    if (weight_[at(i)] == 0) continue;
    int& head = bucket_[hash_[at(i)]];
    bucket_next_[at(i)] = head;
    head = i;
  }
  for (int k = 0; k < length_[at(p)]; ++k) {
    const int first = list_[static_cast<std::size_t>(b + k)];
    if (weight_[at(first)] == 0) continue;
    int i = bucket_[hash_[at(first)]];
    bucket_[hash_[at(first)]] = -1;
    for (; i >= 0; i = bucket_next_[at(i)]) {
      if (bucket_next_[at(i)] < 0) break;
      ++now_;
      const auto* mine = &list_[static_cast<std::size_t>(begin_[at(i)])];
      for (int m = 1; m < length_[at(i)]; ++m) stamp_[at(mine[m])] = now_;
      int before = i;
      for (int j = bucket_next_[at(i)]; j >= 0; j = bucket_next_[at(j)]) {
        bool equal = length_[at(j)] == length_[at(i)] && elements_[at(j)] == elements_[at(i)];
        const auto* theirs = &list_[static_cast<std::size_t>(begin_[at(j)])];
        for (int m = 1; equal && m < length_[at(j)]; ++m) equal = stamp_[at(theirs[m])] == now_;
        if (equal) {
          weight_[at(i)] += weight_[at(j)];  // both negative
          join(i, j);
          bucket_next_[at(before)] = bucket_next_[at(j)];
        } else {
          before = j;
        }
      }
    }
  }
}

void QuotientGraph::finish(int p) {
  const std::ptrdiff_t b = begin_[at(p)];
  int kept = 0;
  for (int k = 0; k < length_[at(p)]; ++k) {
    const int i = list_[static_cast<std::size_t>(b + k)];
    if (weight_[at(i)] == 0) continue;
    const int w = -weight_[at(i)];
    weight_[at(i)] = w;
    insert(i, std::min(degree_[at(i)] + element_weight_ - w, left_ - w));
    list_[static_cast<std::size_t>(b + kept++)] = i;
  }
  list_.resize(static_cast<std::size_t>(b + kept));
  length_[at(p)] = kept;
  degree_[at(p)] = element_weight_;
  if (kept == 0) kind_[at(p)] = Kind::kDead;
}

std::vector<int> QuotientGraph::eliminate_all() {
  std::vector<int> order;
  order.reserve(at(n_));
  while (left_ > 0) {
    const int p = pop_smallest();
    form_element(p);
    now_ += total_ + 1;
    scan_elements(p);
    update_variables(p);
    now_ += total_ + 1;
    merge_equal_variables(p);
    now_ += total_ + 1;
    finish(p);
    for (int v = p; v >= 0; v = next_member_[at(v)]) order.push_back(v);
  }
  return order;
}

}  // namespace

BlockGraph graph_of(const BlockPattern& pattern) {
  BlockGraph g;
  const int n = pattern.block_count();
  g.weight.resize(at(n));
  g.begin.assign(at(n) + 1, 0);
  g.neighbor.reserve(at(2 * (pattern.entry_count() - n)));
  for (int i = 0; i < n; ++i) {
    g.weight[at(i)] = pattern.size(i);
    for (int e = pattern.row_begin(i); e < pattern.diagonal(i); ++e)
      g.neighbor.push_back(pattern.column(e));
    for (int k = pattern.column_begin(i); k < pattern.column_end(i); ++k)
      g.neighbor.push_back(pattern.row(pattern.column_entry(k)));
    g.begin[at(i) + 1] = static_cast<int>(g.neighbor.size());
  }
  return g;
}

BlockGraph subgraph(const BlockGraph& graph, const std::vector<int>& vertices,
                    std::vector<int>& scratch) {
  BlockGraph s;
  for (std::size_t k = 0; k < vertices.size(); ++k) scratch[at(vertices[k])] = static_cast<int>(k);
  s.weight.reserve(vertices.size());
  s.begin.reserve(vertices.size() + 1);
  for (int v : vertices) {
    s.weight.push_back(graph.weight[at(v)]);
    for (int k = graph.begin[at(v)]; k < graph.begin[at(v) + 1]; ++k)
      if (scratch[at(graph.neighbor[at(k)])] >= 0)
        s.neighbor.push_back(scratch[at(graph.neighbor[at(k)])]);
    s.begin.push_back(static_cast<int>(s.neighbor.size()));
  }
  for (int v : vertices) scratch[at(v)] = -1;
  return s;
}

std::vector<int> minimum_degree_order(const BlockGraph& graph) {
  return QuotientGraph(graph).eliminate_all();
}

}  // namespace haptos
