#include "haptos/bodies/particles/cells.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/bodies/particles/spline.h"

namespace haptos {
namespace {

// Beyond so many cells from the origin points share one.
constexpr double kFarthest = 1e9;

bool before(const Vec3i& a, const Vec3i& b) {
  if (a[0] != b[0]) return a[0] < b[0];
  if (a[1] != b[1]) return a[1] < b[1];
  return a[2] < b[2];
}

bool same(const Vec3i& a, const Vec3i& b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

// How far from the middle of a cell's nodes walls are looked for, in cells: half of the farthest
// that two points with a node in common are from each other.
constexpr double kReach = 2.6;

bool earlier(const Cells::Further& a, const Cells::Further& b) {
  if (a.node != b.node) return a.node < b.node;
  if (a.offset != b.offset) return a.offset < b.offset;
  return a.neighbour < b.neighbour;
}

// Which cells see each other, asked of the walls once for each pair.
class Sight {
 public:
  Sight(const std::vector<Cells::Cell>& cells, const Walls& walls)
      : cells_(cells), walls_(walls), known_(cells.size()) {}
  bool sees(int a, int b) {
    const Cells::Cell &u = cells_[at_index(a)], &v = cells_[at_index(b)];
    if (same(u.base, v.base)) return false;  // parted as it is
    if (!u.walled || !v.walled) return true;
    for (const auto& [at, seen] : known_[at_index(b)])
      if (at == a) return seen;
    const bool seen = !walls_.between(u.seen, v.seen);
    known_[at_index(b)].push_back({a, seen});
    return seen;
  }

 private:
  const std::vector<Cells::Cell>& cells_;
  const Walls& walls_;
  std::vector<std::vector<std::pair<int, bool>>> known_;  // of the later cell
};

}  // namespace

void Cells::sort(const std::vector<Vec3d>& x, double size, const Walls* walls) {
  const auto n = static_cast<std::ptrdiff_t>(x.size());
  base_.resize(x.size());
  for_each(n, [&](std::ptrdiff_t p) {
    for (int c = 0; c < 3; ++c)
      base_[at_index(p)][c] =
          static_cast<int>(clamp(spline_base(x[at_index(p)][c] / size), -kFarthest, kFarthest));
  });
  order_.resize(x.size());
  for (std::ptrdiff_t p = 0; p < n; ++p) order_[at_index(p)] = static_cast<int>(p);
  std::sort(order_.begin(), order_.end(), [&](int a, int b) {
    const Vec3i &u = base_[at_index(a)], &v = base_[at_index(b)];
    return same(u, v) ? a < b : before(u, v);
  });
  group_.assign(x.size(), 0);
  find_cells();
  if (walls) part_points(x, size, *walls);
  find_nodes();
  if (std::any_of(cells_.begin(), cells_.end(), [](const Cell& c) { return c.walled; }))
    split_nodes(*walls);
  find_neighbours();
}

// Runs of points with one base and one group.
void Cells::find_cells() {
  cells_.clear();
  int last = 0;
  for (int k = 0; k < static_cast<int>(order_.size()); ++k) {
    const auto p = at_index(order_[at_index(k)]);
    if (cells_.empty() || !same(cells_.back().base, base_[p]) || group_[p] != last) {
      Cell c;
      c.base = base_[p], c.begin = k;
      cells_.push_back(c);
    }
    cells_.back().end = k + 1, last = group_[p];
  }
}

// Points of a cell with a wall between them come into cells of their own.
void Cells::part_points(const std::vector<Vec3d>& x, double size, const Walls& walls) {
  const double reach = kReach * size;
  for_each(
      static_cast<std::ptrdiff_t>(cells_.size()),
      [&](std::ptrdiff_t c) {
        Cell& cell = cells_[at_index(c)];
        const Vec3d middle = {
            {size * (cell.base[0] + 1), size * (cell.base[1] + 1), size * (cell.base[2] + 1)}};
        cell.walled = walls.near(middle, reach);
        if (!cell.walled) return;
        std::vector<Vec3d> seen;  // of each group its first point
        for (int k = cell.begin; k < cell.end; ++k) {
          const auto p = at_index(order_[at_index(k)]);
          const Vec3d at = walls.outside(x[p]);
          std::size_t g = 0;
          while (g < seen.size() && walls.between(seen[g], at)) ++g;
          if (g == seen.size()) seen.push_back(at);
          group_[p] = static_cast<int>(g);
        }
        std::stable_sort(order_.begin() + cell.begin, order_.begin() + cell.end,
                         [&](int a, int b) { return group_[at_index(a)] < group_[at_index(b)]; });
      },
      16);
  std::vector<Cell> whole;
  std::swap(whole, cells_);
  find_cells();
  std::size_t w = 0;
  for (Cell& c : cells_) {
    while (!same(whole[w].base, c.base)) ++w;
    c.walled = whole[w].walled;
    if (c.walled) c.seen = walls.outside(x[at_index(order_[at_index(c.begin)])]);
  }
}

void Cells::find_nodes() {
  nodes_.clear();
  for (const Cell& c : cells_)
    for (int n = 0; n < kNodes; ++n)
      nodes_.push_back({{c.base[0] + n / 9, c.base[1] + n / 3 % 3, c.base[2] + n % 3}});
  std::sort(nodes_.begin(), nodes_.end(), before);
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end(), same), nodes_.end());
  copy_.assign(nodes_.size(), 0);
  of_cell_.resize(cells_.size());
  for_each(
      static_cast<std::ptrdiff_t>(cells_.size()),
      [&](std::ptrdiff_t c) {
        const Vec3i& base = cells_[at_index(c)].base;
        for (int row = 0; row < 9; ++row) {
          const Vec3i first = {{base[0] + row / 3, base[1] + row % 3, base[2]}};
          const int at = static_cast<int>(
              std::lower_bound(nodes_.begin(), nodes_.end(), first, before) - nodes_.begin());
          for (int k = 0; k < 3; ++k) of_cell_[at_index(c)][at_index(3 * row + k)] = at + k;
        }
      },
      64);
  find_parts();
}

void Cells::find_parts() {
  first_part_.assign(nodes_.size() + 1, 0);
  for (const auto& of : of_cell_)
    for (const int i : of) ++first_part_[at_index(i) + 1];
  for (std::size_t i = 0; i < nodes_.size(); ++i) first_part_[i + 1] += first_part_[i];
  parts_.resize(at_index(first_part_.back()));
  std::vector<int> next(first_part_.begin(), first_part_.end() - 1);
  for (int c = 0; c < cell_count(); ++c)
    for (int n = 0; n < kNodes; ++n)
      parts_[at_index(next[at_index(of_cell_[at_index(c)][at_index(n)])]++)] = {c, n};
}

// Nodes of cells that see each other neither themselves nor by others with that node.
void Cells::split_nodes(const Walls& walls) {
  Sight sight(cells_, walls);
  std::vector<Vec3i> nodes;
  std::vector<int> copy, root;
  for (int i = 0; i < node_count(); ++i) {
    const Part *begin = parts_begin(i), *end = parts_end(i);
    const auto count = at_index(end - begin);
    root.resize(count);
    const bool walled =
        std::any_of(begin, end, [&](const Part& p) { return cells_[at_index(p.cell)].walled; });
    for (std::size_t k = 0; k < count; ++k) root[k] = walled ? static_cast<int>(k) : 0;
    // The lowest of those that are linked; of few, so by sweeps.
    for (bool moved = walled; moved;) {
      moved = false;
      for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = 0; b < a; ++b)
          if (root[a] != root[b] && sight.sees(begin[b].cell, begin[a].cell))
            root[a] = root[b] = std::min(root[a], root[b]), moved = true;
    }
    int copies = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const auto r = at_index(root[k]);
      if (r == k) {
        nodes.push_back(nodes_[at_index(i)]);
        copy.push_back(copies++);
      }
      // The copies of this node are the last ones; that of k is that of its root.
      const int at = r == k ? static_cast<int>(nodes.size()) - 1
                            : of_cell_[at_index(begin[r].cell)][at_index(begin[r].node)];
      of_cell_[at_index(begin[k].cell)][at_index(begin[k].node)] = at;
    }
  }
  std::swap(nodes_, nodes), std::swap(copy_, copy);
  find_parts();
}

void Cells::find_neighbours() {
  neighbour_.assign(kOffsets * nodes_.size(), -1);
  for_each(
      static_cast<std::ptrdiff_t>(nodes_.size()),
      [&](std::ptrdiff_t i) {
        for (const Part* p = parts_begin(static_cast<int>(i)); p != parts_end(static_cast<int>(i));
             ++p)
          for (int b = 0; b <= p->node; ++b) {
            int& first = neighbour_[at_index(kOffsets * i + offset(p->node, b))];
            const int j = of_cell_[at_index(p->cell)][at_index(b)];
            if (first < 0 || j < first) first = j;
          }
      },
      64);
  further_.clear();
  if (std::none_of(copy_.begin(), copy_.end(), [](int c) { return c > 0; })) return;
  for (int i = 0; i < node_count(); ++i)
    for (const Part* p = parts_begin(i); p != parts_end(i); ++p)
      for (int b = 0; b < p->node; ++b) {
        const int o = offset(p->node, b), j = of_cell_[at_index(p->cell)][at_index(b)];
        if (neighbour(i, o) != j) further_.push_back({i, o, j});
      }
  std::sort(further_.begin(), further_.end(), earlier);
  further_.erase(std::unique(further_.begin(), further_.end(),
                             [](const Further& a, const Further& b) {
                               return !earlier(a, b) && !earlier(b, a);
                             }),
                 further_.end());
}

int Cells::further_slot(int i, int offset, int j) const {
  const auto at =
      std::lower_bound(further_.begin(), further_.end(), Further{i, offset, j}, earlier);
  return kOffsets * node_count() + static_cast<int>(at - further_.begin());
}

}  // namespace haptos
