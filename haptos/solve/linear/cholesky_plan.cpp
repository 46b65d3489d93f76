#include "haptos/solve/linear/cholesky_plan.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "haptos/solve/ordering/elimination_tree.h"
#include "haptos/solve/ordering/ordering.h"

namespace haptos {
namespace {

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Nested dissection beats minimum degree on large systems only, and takes much longer to find: it
// is tried where the modelled time of one factor [s] is more than this.
constexpr double kDissectionTime = 1e-2;
constexpr int kDissectionLeaf = 200;
// Modelled time from which on subtrees go to threads, and how many are wanted.
constexpr double kParallelTime = 5e-4;
constexpr int kTasks = 32;

FrontTree best_tree(const BlockPattern& pattern, CholeskyPlan::Order order) {
  const BlockGraph graph = graph_of(pattern);
  using Order = CholeskyPlan::Order;
  if (order == Order::kNatural) {
    std::vector<int> natural(at(graph.vertex_count()));
    std::iota(natural.begin(), natural.end(), 0);
    return front_tree(graph, natural);
  }
  FrontTree best;
  if (order != Order::kNestedDissection) best = front_tree(graph, minimum_degree_order(graph));
  if (order == Order::kNestedDissection ||
      (order == Order::kBest && best.modelled_time > kDissectionTime)) {
    FrontTree other = front_tree(graph, nested_dissection_order(graph, kDissectionLeaf));
    if (order == Order::kNestedDissection || other.modelled_time < best.modelled_time)
      best = std::move(other);
  }
  return best;
}

// Appends the run (from, to, count), joined to the last one of [begin, end) where it continues it
// and does not cross `border`.
void append(std::vector<RowRun>& runs, int begin, int from, int to, int count, int border) {
  if (static_cast<int>(runs.size()) > begin) {
    RowRun& last = runs.back();
    if (last.from + last.count == from && last.to + last.count == to && to != border) {
      last.count += count;
      return;
    }
  }
  runs.push_back({from, to, count});
}

}  // namespace

CholeskyPlan::CholeskyPlan(std::shared_ptr<const BlockPattern> pattern, Order wanted)
    : pattern_(std::move(pattern)) {
  const BlockPattern& p = *pattern_;
  const FrontTree tree = best_tree(p, wanted);
  order = tree.order;
  modelled_time = tree.modelled_time;
  const int n = p.block_count();
  std::vector<int> rank(at(n));
  position.resize(at(n));
  int scalar = 0;
  for (int k = 0; k < n; ++k) {
    rank[at(order[at(k)])] = k;
    position[at(order[at(k)])] = scalar;
    scalar += p.size(order[at(k)]);
  }

  const int front_count = static_cast<int>(tree.fronts.size());
  nodes.resize(at(front_count));
  std::vector<std::vector<int>> rows(at(front_count));  // updated blocks, by rank
  std::vector<int> child_count(at(front_count) + 1, 0);
  for (int f = 0; f < front_count; ++f)
    if (tree.fronts[at(f)].parent >= 0) ++child_count[at(tree.fronts[at(f)].parent) + 1];
  for (int f = 0; f < front_count; ++f) child_count[at(f) + 1] += child_count[at(f)];
  children.resize(at(child_count[at(front_count)]));
  {
    std::vector<int> fill = child_count;
    for (int f = 0; f < front_count; ++f)
      if (tree.fronts[at(f)].parent >= 0) children[at(fill[at(tree.fronts[at(f)].parent)]++)] = f;
  }

  std::vector<int> row_of(at(n), 0);  // panel row of a block of the front at hand
  std::vector<int> mark(at(n), -1);
  for (int f = 0; f < front_count; ++f) {
    const FrontTree::Front& front = tree.fronts[at(f)];
    Node& node = nodes[at(f)];
    const int first_rank = front.first, end_rank = front.first + front.count;
    node.first = position[at(order[at(first_rank)])];
    node.pivots = front.pivots;
    node.updates = front.updates;
    node.parent = front.parent;
    node.child_begin = child_count[at(f)];
    node.child_end = child_count[at(f) + 1];

    // The updated rows: what the pivots meet in A, and what the children pass on.
    std::vector<int>& own = rows[at(f)];
    const auto meet = [&](int k) {
      if (k >= end_rank && mark[at(k)] != f) {
        mark[at(k)] = f;
        own.push_back(k);
      }
    };
    for (int k = first_rank; k < end_rank; ++k) {
      const int b = order[at(k)];
      for (int e = p.row_begin(b); e < p.diagonal(b); ++e) meet(rank[at(p.column(e))]);
      for (int m = p.column_begin(b); m < p.column_end(b); ++m)
        meet(rank[at(p.row(p.column_entry(m)))]);
    }
    for (int c = node.child_begin; c < node.child_end; ++c)
      for (int k : rows[at(children[at(c)])]) meet(k);
    std::sort(own.begin(), own.end());

    const int row_shift = round_up_to_strip(node.pivots);
    for (int k = first_rank; k < end_rank; ++k)
      row_of[at(k)] = position[at(order[at(k)])] - node.first;
    int row = row_shift;
    node.solve_begin = static_cast<int>(solve_runs.size());
    for (int k : own) {
      row_of[at(k)] = row;
      append(solve_runs, node.solve_begin, row - row_shift, position[at(order[at(k)])],
             p.size(order[at(k)]), -1);
      row += p.size(order[at(k)]);
    }
    node.solve_end = static_cast<int>(solve_runs.size());
    assert(row - row_shift == node.updates);

    const std::ptrdiff_t ld = row_shift + round_up_to_strip(node.updates);
    node.scatter_begin = static_cast<int>(scatter.size());
    for (int k = first_rank; k < end_rank; ++k) {
      const int b = order[at(k)];
      const std::ptrdiff_t column = ld * row_of[at(k)];
      const auto add = [&](int e, int other, bool transposed) {
        if (rank[at(other)] < k) return;
        scatter.push_back({e, p.size(p.row(e)), p.size(p.column(e)), transposed, other == b,
                           column + row_of[at(rank[at(other)])]});
      };
      for (int e = p.row_begin(b); e < p.row_end(b); ++e) add(e, p.column(e), true);
      for (int m = p.column_begin(b); m < p.column_end(b); ++m)
        add(p.column_entry(m), p.row(p.column_entry(m)), false);
    }
    node.scatter_end = static_cast<int>(scatter.size());

    for (int c = node.child_begin; c < node.child_end; ++c) {
      Node& child = nodes[at(children[at(c)])];
      child.add_begin = static_cast<int>(add_runs.size());
      int from = 0;
      for (int k : rows[at(children[at(c)])]) {
        const int size = p.size(order[at(k)]);
        append(add_runs, child.add_begin, from, row_of[at(k)], size, row_shift);
        from += size;
      }
      child.add_end = static_cast<int>(add_runs.size());
      std::vector<int>().swap(rows[at(children[at(c)])]);
    }
    if (node.parent < 0) node.add_begin = node.add_end = 0;
  }
  lay_out();
}

// Where panels and updates live. A front's update is written while those of its children are still
// read, so even and odd depths of the tree use stacks of their own.
void CholeskyPlan::lay_out() {
  const int n = static_cast<int>(nodes.size());
  std::vector<double> subtree(at(n), 0);
  std::vector<int> depth(at(n), 0), first(at(n)), task_of(at(n), -1);
  for (int f = 0; f < n; ++f) {
    Node& node = nodes[at(f)];
    const double u = node.updates, c = node.pivots;
    node.factor = factor_size;
    factor_size += panel_size(node.pivots, node.updates);
    nonzeros += static_cast<std::int64_t>(node.pivots) * (node.pivots + 1) / 2 +
                static_cast<std::int64_t>(node.pivots) * node.updates;
    // sum over columns of (scalars in the column)^2
    flops += c * (c + 1) * (2 * c + 1) / 6 + u * c * (c + 1) + u * u * c;
    largest_pivots = std::max(largest_pivots, node.pivots);
    largest_updates = std::max(largest_updates, node.updates);
    subtree[at(f)] += front_time(c, u);
    first[at(f)] =
        node.child_begin < node.child_end ? first[at(children[at(node.child_begin)])] : f;
    if (node.parent >= 0) subtree[at(node.parent)] += subtree[at(f)];
  }
  for (int f = n - 1; f >= 0; --f)
    if (nodes[at(f)].parent >= 0) depth[at(f)] = depth[at(nodes[at(f)].parent)] + 1;

  if (modelled_time > kParallelTime) {
    // Split the costliest subtree until there are enough, or it is a small part of the whole.
    std::vector<std::pair<double, int>> heap;
    for (int f = 0; f < n; ++f)
      if (nodes[at(f)].parent < 0) heap.push_back({subtree[at(f)], f});
    std::make_heap(heap.begin(), heap.end());
    while (!heap.empty() && static_cast<int>(heap.size()) < kTasks * 4 &&
           heap.front().first > modelled_time / kTasks) {
      std::pop_heap(heap.begin(), heap.end());
      const Node& node = nodes[at(heap.back().second)];
      heap.pop_back();
      for (int c = node.child_begin; c < node.child_end; ++c) {
        heap.push_back({subtree[at(children[at(c)])], children[at(c)]});
        std::push_heap(heap.begin(), heap.end());
      }
    }
    for (const auto& [time, f] : heap) tasks.push_back({first[at(f)], f + 1, 0, 0, 0, 0});
    std::sort(tasks.begin(), tasks.end(),
              [](const Task& a, const Task& b) { return a.begin < b.begin; });
    if (tasks.size() < 2) tasks.clear();
    for (std::size_t t = 0; t < tasks.size(); ++t)
      std::fill(task_of.begin() + tasks[t].begin, task_of.begin() + tasks[t].end,
                static_cast<int>(t));
  }
  for (int f = 0; f < n; ++f)
    if (task_of[at(f)] < 0) top.push_back(f);

  const auto place = [&](auto begin, auto end, int task) {
    std::ptrdiff_t height[2] = {0, 0}, highest[2] = {0, 0}, panel = 0;
    for (auto it = begin; it != end; ++it) {
      Node& node = nodes[at(*it)];
      const int side = depth[at(*it)] & 1;
      const std::ptrdiff_t ld = round_up_to_strip(node.updates);
      panel = std::max(panel, (ld + round_up_to_strip(node.pivots)) * node.pivots);
      node.update = height[side];
      height[side] += ld * ld;
      highest[side] = std::max(highest[side], height[side]);
      for (int c = node.child_begin; c < node.child_end; ++c) {
        const int child = children[at(c)];
        const std::ptrdiff_t child_ld = round_up_to_strip(nodes[at(child)].updates);
        if (task_of[at(child)] == task) height[1 - side] -= child_ld * child_ld;
      }
    }
    const std::ptrdiff_t base[2] = {arena_size, arena_size + highest[0]};
    for (auto it = begin; it != end; ++it) nodes[at(*it)].update += base[depth[at(*it)] & 1];
    arena_size += highest[0] + highest[1];
    const std::ptrdiff_t panel_at = arena_size;
    arena_size += (panel + kStrip - 1) / kStrip * kStrip;
    return panel_at;
  };
  std::vector<int> range;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    range.resize(at(tasks[t].end - tasks[t].begin));
    std::iota(range.begin(), range.end(), tasks[t].begin);
    tasks[t].panel = place(range.begin(), range.end(), static_cast<int>(t));
  }
  top_panel = place(top.begin(), top.end(), -1);

  // Each task solves in scratch of its own: a front's pivots and rows, and what it leaves to
  // others.
  solve_scratch = round_up_to_strip(largest_pivots) + round_up_to_strip(largest_updates);
  for (Task& t : tasks) {
    for (int f = t.begin; f < t.end; ++f) {
      t.largest_pivots = std::max(t.largest_pivots, nodes[at(f)].pivots);
      t.largest_updates = std::max(t.largest_updates, nodes[at(f)].updates);
    }
    t.scratch = solve_scratch;
    solve_scratch += round_up_to_strip(t.largest_pivots) + round_up_to_strip(t.largest_updates) +
                     round_up_to_strip(nodes[at(t.end - 1)].updates);
  }
}

}  // namespace haptos
