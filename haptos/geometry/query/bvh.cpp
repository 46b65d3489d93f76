#include "haptos/geometry/query/bvh.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "haptos/base/borrowed.h"
#include "haptos/base/text/error.h"

namespace haptos {
namespace {

constexpr int kBins = 16;
constexpr int kLeafSize = 4;

// Beyond the range of float, its end: the cast alone would be undefined.
float nearest_float(double x) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(x, -kMost, kMost));
}
float round_down(double x) {
  const float f = nearest_float(x);
  return f > x ? std::nextafterf(f, -std::numeric_limits<float>::infinity()) : f;
}
float round_up(double x) {
  const float f = nearest_float(x);
  return f < x ? std::nextafterf(f, std::numeric_limits<float>::infinity()) : f;
}

double half_area(const Aabb& b) {
  if (b.is_empty()) return 0;
  const Vec3d e = b.extent();
  return e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
}

using Item = BvhScratch::Item;

struct Bin {
  Aabb box;
  int count = 0;
};

// The place to cut [begin, end), its items partitioned about it; begin when no cut by surface area
// separates the centres.
int split_by_area(const std::vector<Aabb>& boxes, std::vector<Item>& items, int begin, int end,
                  std::vector<Item>& aside) {
  Aabb centres;
  for (int i = begin; i < end; ++i) centres.merge(items[static_cast<std::size_t>(i)].centre);
  const Vec3d extent = centres.extent();
  double best = std::numeric_limits<double>::infinity();
  int best_axis = -1, best_bin = 0;
  const auto bin_of = [&](const Vec3d& c, int axis) {
    const double b = kBins * ((c[axis] - centres.lo[axis]) / extent[axis]);
    return b < kBins ? static_cast<int>(b) : kBins - 1;  // also where an extent is infinite
  };
  for (int axis = 0; axis < 3; ++axis) {
    if (!(extent[axis] > 0)) continue;
    Bin bins[kBins];
    for (int i = begin; i < end; ++i) {
      const Item& item = items[static_cast<std::size_t>(i)];
      Bin& b = bins[bin_of(item.centre, axis)];
      b.box.merge(boxes[static_cast<std::size_t>(item.index)]);
      ++b.count;
    }
    double right[kBins];
    Aabb box;
    int count = 0;
    for (int b = kBins - 1; b > 0; --b) {
      box.merge(bins[b].box);
      count += bins[b].count;
      right[b] = half_area(box) * count;
    }
    box = Aabb{};
    count = 0;
    for (int b = 0; b + 1 < kBins; ++b) {
      box.merge(bins[b].box);
      count += bins[b].count;
      const double cost = half_area(box) * count + right[b + 1];
      if (count > 0 && count < end - begin && cost < best) {
        best = cost;
        best_axis = axis;
        best_bin = b;
      }
    }
  }
  if (best_axis < 0) return begin;
  // Stable, and without memory of its own.
  aside.clear();
  int middle = begin;
  for (int i = begin; i < end; ++i) {
    const Item item = items[static_cast<std::size_t>(i)];
    if (bin_of(item.centre, best_axis) <= best_bin)
      items[static_cast<std::size_t>(middle++)] = item;
    else
      aside.push_back(item);
  }
  std::copy(aside.begin(), aside.end(), items.begin() + middle);
  return middle;
}

// Cuts in the middle of the longest axis of the centres; ties go by index.
int split_in_half(std::vector<Item>& items, int begin, int end) {
  Aabb centres;
  for (int i = begin; i < end; ++i) centres.merge(items[static_cast<std::size_t>(i)].centre);
  const Vec3d e = centres.extent();
  const int axis = e[0] >= e[1] && e[0] >= e[2] ? 0 : (e[1] >= e[2] ? 1 : 2);
  std::sort(items.begin() + begin, items.begin() + end, [&](const Item& x, const Item& y) {
    return x.centre[axis] != y.centre[axis] ? x.centre[axis] < y.centre[axis] : x.index < y.index;
  });
  return begin + (end - begin) / 2;
}

}  // namespace

void Bvh::set_bounds(Node& node, const Aabb& b) const {
  for (int k = 0; k < 3; ++k) {
    node.lo[k] = round_down(b.lo[k]);
    node.hi[k] = round_up(b.hi[k]);
  }
}

void Bvh::build(const std::vector<Aabb>& boxes) {
  Borrowed<BvhScratch> scratch;
  build(boxes, *scratch);
}

void Bvh::build(const std::vector<Aabb>& boxes, BvhScratch& scratch) {
  nodes_.clear();
  items_.clear();
  boxes_.clear();
  const int n = static_cast<int>(boxes.size());
  if (n == 0) return;

  std::vector<Item>& items = scratch.items;
  items.resize(boxes.size());
  for (int i = 0; i < n; ++i) {
    const Aabb& b = boxes[static_cast<std::size_t>(i)];
    Vec3d centre = b.is_empty() ? Vec3d::zero() : b.centre();
    for (double& c : centre.a)
      if (!std::isfinite(c)) c = 0;  // something to sort by; the boxes stay what they are
    items[static_cast<std::size_t>(i)] = {centre, i};
  }

  std::vector<BvhScratch::Task>& tasks = scratch.tasks;
  tasks.assign(1, {0, 0, n, 0});
  nodes_.reserve(boxes.size());
  nodes_.push_back(Node{});
  while (!tasks.empty()) {
    const BvhScratch::Task t = tasks.back();
    tasks.pop_back();
    if (t.end - t.begin <= kLeafSize) {
      nodes_[static_cast<std::size_t>(t.node)].first = t.begin;
      nodes_[static_cast<std::size_t>(t.node)].count = t.end - t.begin;
      continue;
    }
    int middle = t.begin;
    if (t.depth < kMedianDepth) middle = split_by_area(boxes, items, t.begin, t.end, scratch.aside);
    if (middle == t.begin || middle == t.end) middle = split_in_half(items, t.begin, t.end);
    const int left = static_cast<int>(nodes_.size());
    nodes_[static_cast<std::size_t>(t.node)].first = left;
    nodes_[static_cast<std::size_t>(t.node)].count = 0;
    nodes_.push_back(Node{});
    nodes_.push_back(Node{});
    tasks.push_back({left + 1, middle, t.end, t.depth + 1});
    tasks.push_back({left, t.begin, middle, t.depth + 1});
  }

  items_.resize(boxes.size());
  for (std::size_t i = 0; i < items.size(); ++i) items_[i] = items[i].index;
  boxes_.resize(boxes.size());
  refit(boxes);
}

void Bvh::refit(const std::vector<Aabb>& boxes) {
  if (boxes.size() != items_.size())
    throw InputError(
        {.file = {},
         .element = "Bvh::refit boxes",
         .value = std::to_string(boxes.size()),
         .rule = "must be as many as the tree was built over, " + std::to_string(items_.size()),
         .remedy = "call build() when items are added or removed"});
  for (std::size_t k = 0; k < items_.size(); ++k)
    boxes_[k] = boxes[static_cast<std::size_t>(items_[k])];
  // Children come after their parent, so a backward sweep sees them first.
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    Node& n = nodes_[k];
    if (n.count > 0) {
      Aabb b;
      for (int i = n.first; i < n.first + n.count; ++i)
        b.merge(boxes_[static_cast<std::size_t>(i)]);
      set_bounds(n, b);
    } else {
      const Node& l = nodes_[static_cast<std::size_t>(n.first)];
      const Node& r = nodes_[static_cast<std::size_t>(n.first) + 1];
      for (int c = 0; c < 3; ++c) {
        n.lo[c] = std::min(l.lo[c], r.lo[c]);
        n.hi[c] = std::max(l.hi[c], r.hi[c]);
      }
    }
  }
}

Aabb Bvh::bounds() const {
  Aabb b;
  for (const Aabb& x : boxes_) b.merge(x);
  return b;
}

}  // namespace haptos
