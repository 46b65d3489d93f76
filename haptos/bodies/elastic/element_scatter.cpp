#include "haptos/bodies/elastic/element_scatter.h"

#include <algorithm>
#include <tuple>

#include "haptos/base/borrowed.h"
#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/system/block_room.h"

namespace haptos {
namespace {

constexpr int kLanes = ElementSlots::kLanes;

}  // namespace

ElementScatter::ElementScatter(const Points& points, std::vector<int> nodes, int n)
    : n_(n), nodes_(std::move(nodes)) {
  std::vector<std::array<int, 2>> by_point;
  by_point.reserve(nodes_.size());
  for (int i = 0; i < static_cast<int>(nodes_.size()); ++i)
    by_point.push_back({nodes_[at_index(i)], i});
  std::sort(by_point.begin(), by_point.end());
  for (std::size_t i = 0; i < by_point.size(); ++i) {
    if (i == 0 || by_point[i][0] != by_point[i - 1][0]) {
      touched_.push_back(by_point[i][0]);
      corner_begin_.push_back(static_cast<int>(i));
    }
    corners_.push_back(by_point[i][1]);
  }
  corner_begin_.push_back(static_cast<int>(by_point.size()));
  build_pairs(points);
}

void ElementScatter::build_pairs(const Points& points) {
  // One record per contribution, sorted by pair and then by source, so the order of sums is fixed.
  struct Record {
    int p, q, element, code;
    bool operator<(const Record& o) const {
      return std::tie(p, q, element, code) < std::tie(o.p, o.q, o.element, o.code);
    }
  };
  std::vector<Record> records;
  for (int e = 0; e < element_count(); ++e)
    for (int a = 0; a < n_; ++a)
      for (int b = 0; b <= a; ++b) {
        const int p = node(e, a), q = node(e, b);
        if (points.driven(p) && points.driven(q)) continue;
        const bool links =
            points.carried(p) != points.carried(q) && !points.driven(p) && !points.driven(q);
        const bool keep = links ? points.carried(q) : points.block(p) >= points.block(q);
        records.push_back({keep ? p : q, keep ? q : p, e, 2 * block(a, b) + (keep ? 0 : 1)});
      }
  std::sort(records.begin(), records.end());
  for (std::size_t i = 0; i < records.size();) {
    Pair pair{records[i].p, records[i].q, static_cast<int>(sources_.size()), 0};
    for (; i < records.size() && records[i].p == pair.p && records[i].q == pair.q; ++i)
      sources_.push_back({records[i].element, records[i].code});
    pair.end = static_cast<int>(sources_.size());
    list_of(points, pair).push_back(pair);
  }
}

std::vector<ElementScatter::Pair>& ElementScatter::list_of(const Points& points, const Pair& pair) {
  const int p = pair.p, q = pair.q;
  if (points.node(p) && (points.node(q) || points.driven(q))) return pairs_;
  const bool one_link = points.carried(p) && points.block(p) == points.block(q);
  return points.carried(q) && (points.node(p) || one_link) ? carried_ : others_;
}

void ElementScatter::couplings(const Points& points, std::vector<std::array<int, 2>>& out) const {
  for (const auto* list : {&pairs_, &carried_, &others_})
    for (const Pair& pair : *list)
      if (!points.driven(pair.q)) out.push_back({points.block(pair.p), points.block(pair.q)});
}

void ElementScatter::add_gradient(const ElementSlots& slots, Assembly& assembly) const {
  std::vector<Vec3d>& out = assembly.mutable_point_gradient();
  const double f = assembly.gradient_factor();
  for_each(static_cast<std::ptrdiff_t>(touched_.size()), [&](std::ptrdiff_t i) {
    Vec3d g = Vec3d::zero();
    for (int k = corner_begin_[at_index(i)]; k < corner_begin_[at_index(i + 1)]; ++k) {
      const int corner = corners_[at_index(k)];
      const double* v = slots.element(corner / n_) + 3 * (corner % n_) * kLanes;
      for (int c = 0; c < 3; ++c) g[c] += v[c * kLanes];
    }
    out[at_index(touched_[at_index(i)])] += f * g;
  });
}

// The pair's block, unscaled.
Mat3d ElementScatter::sum(const ElementSlots& slots, const Pair& pair) const {
  Mat3d h = Mat3d::zero();
  for (int k = pair.begin; k < pair.end; ++k) {
    const auto& [element, code] = sources_[at_index(k)];
    const double* v = slots.element(element) + 9 * (code / 2) * kLanes;
    if (code % 2) {
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) h(i, j) += v[(3 * j + i) * kLanes];
    } else {
      for (int i = 0; i < 9; ++i) h[i] += v[i * kLanes];
    }
  }
  return h;
}

void ElementScatter::add_tangent(const ElementSlots& slots, const Points& points,
                                 Assembly& assembly) const {
  const double f = assembly.hessian_factor();
  const std::vector<Vec3d>* motion = assembly.driven_motion();
  BlockMatrix& matrix = assembly.matrix();
  std::vector<Vec3d>& rhs = assembly.driven_point_rhs();
  for_each(static_cast<std::ptrdiff_t>(pairs_.size()), [&](std::ptrdiff_t i) {
    const Pair& pair = pairs_[at_index(i)];
    if (points.driven(pair.q)) return;
    const Mat3d h = f * sum(slots, pair);
    double* out = matrix.entry(matrix.pattern().find(points.block(pair.p), points.block(pair.q)));
    for (int c = 0; c < 9; ++c) out[c] += h[c];
  });
  // Points of affine bodies and of links share their body's block: one after the other.
  add_carried(slots, points, assembly);
  for (const Pair& pair : others_)
    if (!points.driven(pair.q)) assembly.add_hessian(pair.p, pair.q, sum(slots, pair));
  if (!motion) return;
  for (const auto* list : {&pairs_, &others_})
    for (const Pair& pair : *list)
      if (points.driven(pair.q))
        rhs[at_index(pair.p)] += f * sum(slots, pair) * (*motion)[at_index(pair.q)];
}

void ElementScatter::add_carried(const ElementSlots& slots, const Points& points,
                                 Assembly& assembly) const {
  const double f = assembly.hessian_factor();
  const std::vector<Vec3d>* motion = assembly.driven_motion();
  Borrowed<std::vector<double>> room;
  for (std::size_t i = 0; i < carried_.size();) {
    const int p = carried_[i].p, link = points.block(carried_[i].q);
    const int n = points.columns(carried_[i].q);
    room->assign(at_index(3 * n), 0.0);
    double* to = room->data();
    Vec3d follows = Vec3d::zero();
    for (; i < carried_.size() && carried_[i].p == p && points.block(carried_[i].q) == link; ++i) {
      const int q = carried_[i].q;
      // Its transpose is added too.
      const Mat3d h = (p == q ? 0.5 : 1.0) * sum(slots, carried_[i]);
      internal::add_product(h, points.jacobian(q), n, to);
      if (motion) follows += h * (*motion)[at_index(q)];
    }
    if (motion) assembly.driven_point_rhs()[at_index(p)] += f * follows;
    assembly.add_coupling(single(p), link, to);
  }
}

}  // namespace haptos
