#include "haptos/solve/ordering/elimination_tree.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace haptos {
namespace {

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::vector<int> inverse_of(const std::vector<int>& order) {
  std::vector<int> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) position[at(order[k])] = static_cast<int>(k);
  return position;
}

// parent[k] of the k-th eliminated vertex.
std::vector<int> parents(const BlockGraph& g, const std::vector<int>& order,
                         const std::vector<int>& position) {
  const int n = g.vertex_count();
  std::vector<int> parent(at(n), -1), ancestor(at(n), -1);
  for (int k = 0; k < n; ++k) {
    const int v = order[at(k)];
    for (int m = g.begin[at(v)]; m < g.begin[at(v) + 1]; ++m) {
      int i = position[at(g.neighbor[at(m)])];
      while (i >= 0 && i < k) {
        const int next = ancestor[at(i)];
        ancestor[at(i)] = k;
        if (next < 0) {
          parent[at(i)] = k;
          break;
        }
        i = next;
      }
    }
  }
  return parent;
}

// Vertices of a forest, children before parents, children in the order of `rank` (or as numbered).
std::vector<int> postorder(const std::vector<int>& parent, const std::vector<double>* rank) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> head(at(n), -1), next(at(n), -1), roots, result, stack;
  std::vector<int> by_rank(at(n));
  for (int i = 0; i < n; ++i) by_rank[at(i)] = i;
  if (rank)
    std::stable_sort(by_rank.begin(), by_rank.end(),
                     [&](int a, int b) { return (*rank)[at(a)] < (*rank)[at(b)]; });
  for (int k = n - 1; k >= 0; --k) {
    const int i = by_rank[at(k)];
    if (parent[at(i)] < 0) {
      roots.push_back(i);
    } else {
      next[at(i)] = head[at(parent[at(i)])];
      head[at(parent[at(i)])] = i;
    }
  }
  result.reserve(at(n));
  std::reverse(roots.begin(), roots.end());
  for (int root : roots) {
    stack.push_back(root);
    while (!stack.empty()) {
      const int i = stack.back();
      if (head[at(i)] >= 0) {
        stack.push_back(head[at(i)]);
        head[at(i)] = next[at(head[at(i)])];
      } else {
        stack.pop_back();
        result.push_back(i);
      }
    }
  }
  return result;
}

// Scalars in every block column of the factor, its own included; `order` is a postorder.
std::vector<int> column_counts(const BlockGraph& g, const std::vector<int>& order,
                               const std::vector<int>& position, const std::vector<int>& parent) {
  const int n = g.vertex_count();
  std::vector<int> first(at(n)), last_first(at(n), -1), last_leaf(at(n), -1), root(at(n));
  std::vector<int> count(at(n), 0);
  for (int k = 0; k < n; ++k) first[at(k)] = root[at(k)] = k;
  for (int k = 0; k < n; ++k)
    if (parent[at(k)] >= 0)
      first[at(parent[at(k)])] = std::min(first[at(parent[at(k)])], first[at(k)]);
  const auto find = [&](int i) {
    int r = i;
    while (root[at(r)] != r) r = root[at(r)];
    while (root[at(i)] != r) i = std::exchange(root[at(i)], r);
    return r;
  };
  for (int k = 0; k < n; ++k) {
    const int v = order[at(k)];
    // Column k meets row r: is k a leaf of the subtree that row r spans?
    const auto meet = [&](int r) {
      if (first[at(k)] <= last_first[at(r)]) return;
      const int w = g.weight[at(order[at(r)])];
      count[at(k)] += w;
      if (last_leaf[at(r)] >= 0) count[at(find(last_leaf[at(r)]))] -= w;
      last_first[at(r)] = first[at(k)];
      last_leaf[at(r)] = k;
    };
    meet(k);
    for (int m = g.begin[at(v)]; m < g.begin[at(v) + 1]; ++m) {
      const int r = position[at(g.neighbor[at(m)])];
      if (r > k) meet(r);
    }
    if (parent[at(k)] >= 0) {
      count[at(parent[at(k)])] -= g.weight[at(v)];
      root[at(k)] = parent[at(k)];
    }
  }
  for (int k = 0; k < n; ++k)
    if (parent[at(k)] >= 0) count[at(parent[at(k)])] += count[at(k)];
  return count;
}

}  // namespace

double front_time(double p, double u) {
  const double flops = p * p * p / 3 + p * p * u + p * u * u;
  const double panel = p * (0.5 * p + u), schur = 0.5 * u * u;
  return 1e-9 * (80 + 12 * p + 0.02 * flops + 0.3 * panel + 0.7 * schur);
}

FrontTree front_tree(const BlockGraph& g, const std::vector<int>& elimination) {
  const int n = g.vertex_count();
  // Renumber by a postorder of the elimination tree.
  std::vector<int> order = elimination;
  std::vector<int> parent = parents(g, order, inverse_of(order));
  {
    const std::vector<int> post = postorder(parent, nullptr);
    const std::vector<int> rank = inverse_of(post);
    std::vector<int> new_order(at(n)), new_parent(at(n));
    for (int k = 0; k < n; ++k) {
      new_order[at(k)] = order[at(post[at(k)])];
      const int q = parent[at(post[at(k)])];
      new_parent[at(k)] = q < 0 ? -1 : rank[at(q)];
    }
    order = std::move(new_order);
    parent = std::move(new_parent);
  }
  const std::vector<int> count = column_counts(g, order, inverse_of(order), parent);

  // Merge bottom-up. Column k stands for its front; merged[c] says where c went.
  std::vector<int> pivots(at(n)), updates(at(n)), merged(at(n), -1);
  std::vector<int> head(at(n), -1), next(at(n), -1), tail(at(n), -1);
  std::vector<int> children;
  const auto adopt = [&](int p, int c) {
    next[at(c)] = -1;
    if (head[at(p)] < 0)
      head[at(p)] = c;
    else
      next[at(tail[at(p)])] = c;
    tail[at(p)] = c;
  };
  for (int k = 0; k < n; ++k) {
    pivots[at(k)] = g.weight[at(order[at(k)])];
    updates[at(k)] = count[at(k)] - pivots[at(k)];
    children.clear();
    for (int c = head[at(k)]; c >= 0; c = next[at(c)]) children.push_back(c);
    std::stable_sort(children.begin(), children.end(),
                     [&](int a, int b) { return updates[at(a)] > updates[at(b)]; });
    head[at(k)] = tail[at(k)] = -1;
    for (int c : children) {
      const double apart =
          front_time(pivots[at(c)], updates[at(c)]) + front_time(pivots[at(k)], updates[at(k)]);
      if (front_time(pivots[at(c)] + pivots[at(k)], updates[at(k)]) <= apart) {
        merged[at(c)] = k;
        pivots[at(k)] += pivots[at(c)];
        for (int d = head[at(c)]; d >= 0;) {
          const int following = next[at(d)];
          adopt(k, d);
          d = following;
        }
      } else {
        adopt(k, c);
      }
    }
    if (parent[at(k)] >= 0) adopt(parent[at(k)], k);
  }

  // The tree of what is left; small updates are stacked last, which keeps the stack low.
  std::vector<int> front_of(at(n), -1), representative;
  for (int k = 0; k < n; ++k)
    if (merged[at(k)] < 0) {
      front_of[at(k)] = static_cast<int>(representative.size());
      representative.push_back(k);
    }
  for (int k = n - 1; k >= 0; --k)
    if (merged[at(k)] >= 0) front_of[at(k)] = front_of[at(merged[at(k)])];
  const int m = static_cast<int>(representative.size());
  std::vector<int> front_parent(at(m), -1);
  std::vector<double> peak(at(m), 0), rank(at(m), 0), held(at(m), 0);
  for (int f = 0; f < m; ++f) {
    const int k = representative[at(f)], q = parent[at(k)];
    front_parent[at(f)] = q < 0 ? -1 : front_of[at(q)];
    const double own = 0.5 * updates[at(k)] * updates[at(k)];
    peak[at(f)] = std::max(peak[at(f)], held[at(f)] + own);
    rank[at(f)] = -(peak[at(f)] - own);
    if (front_parent[at(f)] >= 0) {
      const std::size_t p = at(front_parent[at(f)]);
      peak[p] = std::max(peak[p], held[p] + peak[at(f)]);
      held[p] += own;
    }
  }
  const std::vector<int> post = postorder(front_parent, &rank), new_name = inverse_of(post);
  std::vector<int> blocks_begin(at(m) + 1, 0), block(at(n));
  for (int k = 0; k < n; ++k) ++blocks_begin[at(new_name[at(front_of[at(k)])]) + 1];
  for (int f = 0; f < m; ++f) blocks_begin[at(f) + 1] += blocks_begin[at(f)];
  std::vector<int> fill = blocks_begin;
  FrontTree tree;
  tree.order.resize(at(n));
  for (int k = 0; k < n; ++k)
    tree.order[at(fill[at(new_name[at(front_of[at(k)])])]++)] = order[at(k)];
  tree.fronts.resize(at(m));
  for (int f = 0; f < m; ++f) {
    const int old = post[at(f)], k = representative[at(old)];
    const int q = front_parent[at(old)];
    tree.fronts[at(f)] = {blocks_begin[at(f)], blocks_begin[at(f) + 1] - blocks_begin[at(f)],
                          pivots[at(k)], updates[at(k)], q < 0 ? -1 : new_name[at(q)]};
    tree.modelled_time += front_time(pivots[at(k)], updates[at(k)]);
  }
  return tree;
}

}  // namespace haptos
