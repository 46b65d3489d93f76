#include "haptos/dynamics/tet_scatter.h"

#include <algorithm>
#include <tuple>

#include "haptos/base/parallel.h"

namespace haptos {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

constexpr int block_of(int a, int b) { return a * (a + 1) / 2 + b; }  // a >= b

}  // namespace

TetScatter::TetScatter(const Points& points, std::vector<Vec4i> tets, int patch_size)
    : patch_size_(patch_size), tets_(std::move(tets)) {
  const int count = static_cast<int>(tets_.size());
  local_.resize(tets_.size() * 4);
  patch_begin_.push_back(0);
  for (int begin = 0; begin < count; begin += patch_size) {
    std::vector<int> pts;
    for (int t = begin; t < begin + patch_size; ++t)
      for (int a = 0; a < 4; ++a) pts.push_back(tets_[at_index(t)][a]);
    std::sort(pts.begin(), pts.end());
    pts.erase(std::unique(pts.begin(), pts.end()), pts.end());
    for (int t = begin; t < begin + patch_size; ++t)
      for (int a = 0; a < 4; ++a)
        local_[at_index(4 * t + a)] = static_cast<int>(
            std::lower_bound(pts.begin(), pts.end(), tets_[at_index(t)][a]) - pts.begin());
    patch_points_.insert(patch_points_.end(), pts.begin(), pts.end());
    patch_begin_.push_back(static_cast<int>(patch_points_.size()));
  }
  // Corners by point.
  std::vector<std::array<int, 2>> by_point;
  for (int t = 0; t < count; ++t)
    for (int a = 0; a < 4; ++a) by_point.push_back({tets_[at_index(t)][a], 4 * t + a});
  std::sort(by_point.begin(), by_point.end());
  for (std::size_t i = 0; i < by_point.size(); ++i) {
    if (i == 0 || by_point[i][0] != by_point[i - 1][0]) {
      corner_points_.push_back(by_point[i][0]);
      corner_begin_.push_back(static_cast<int>(i));
    }
    corners_.push_back(by_point[i][1]);
  }
  corner_begin_.push_back(static_cast<int>(by_point.size()));
  build_pairs(points);
}

void TetScatter::build_pairs(const Points& points) {
  // One record per contribution, sorted by pair and then by source, so the order of sums is fixed.
  struct Record {
    int p, q, kind, source, extra;
    bool operator<(const Record& o) const {
      return std::tie(p, q, kind, source, extra) < std::tie(o.p, o.q, o.kind, o.source, o.extra);
    }
  };
  std::vector<Record> records;
  // The first point of a pair is the one whose block comes later; a driven point comes second.
  auto ordered = [&](int p, int q) {
    const int bp = points.block(p), bq = points.block(q);
    return bp > bq || (bp == bq && p >= q);
  };
  for (int t = 0; t < static_cast<int>(tets_.size()); ++t)
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b <= a; ++b) {
        const int p = tets_[at_index(t)][a], q = tets_[at_index(t)][b];
        if (points.driven(p) && points.driven(q)) continue;
        const bool keep = ordered(p, q);
        records.push_back({keep ? p : q, keep ? q : p, 0, t, 2 * block_of(a, b) + (keep ? 0 : 1)});
      }
  for (int m = 0; m < patch_count(); ++m)
    for (int i = patch_begin(m); i < patch_begin(m + 1); ++i)
      for (int j = patch_begin(m); j <= i; ++j) {
        const int p = patch_point(i), q = patch_point(j);
        if (points.driven(p) && points.driven(q)) continue;
        const bool keep = ordered(p, q);
        const int first = keep ? i : j, second = keep ? j : i;
        records.push_back({patch_point(first), patch_point(second), 1, m,
                           (first - patch_begin(m)) * 64 + (second - patch_begin(m))});
      }
  std::sort(records.begin(), records.end());
  for (std::size_t i = 0; i < records.size();) {
    Pair pair{records[i].p, records[i].q, static_cast<int>(pair_tets_.size()), 0,
              static_cast<int>(pair_patches_.size()), 0};
    for (; i < records.size() && records[i].p == pair.p && records[i].q == pair.q; ++i) {
      const Record& r = records[i];
      if (r.kind == 0) {
        pair_tets_.push_back(32 * r.source + r.extra);
      } else {
        pair_patches_.push_back(
            {patch_begin(r.source) + r.extra / 64, patch_begin(r.source) + r.extra % 64});
        pair_patch_id_.push_back(r.source);
      }
    }
    pair.tet_end = static_cast<int>(pair_tets_.size());
    pair.patch_end = static_cast<int>(pair_patches_.size());
    pairs_.push_back(pair);
  }
}

void TetScatter::couplings(const Points& points, std::vector<std::array<int, 2>>& out) const {
  for (const Pair& pair : pairs_)
    if (!points.driven(pair.p) && !points.driven(pair.q))
      out.push_back({points.block(pair.p), points.block(pair.q)});
}

void TetScatter::add_gradient(const TetSlots& slots, Assembly& assembly) const {
  std::vector<Vec3d>& out = assembly.mutable_point_gradient();
  const double f = assembly.gradient_factor();
  for_each(static_cast<std::ptrdiff_t>(corner_points_.size()), [&](std::ptrdiff_t i) {
    Vec3d g = Vec3d::zero();
    for (int k = corner_begin_[at_index(i)]; k < corner_begin_[at_index(i + 1)]; ++k) {
      const int t = corners_[at_index(k)] / 4, a = corners_[at_index(k)] % 4;
      const double* v = slots.tet(t) + 3 * a * TetSlots::kLanes;
      for (int c = 0; c < 3; ++c) g[c] += v[c * TetSlots::kLanes];
    }
    out[at_index(corner_points_[at_index(i)])] += f * g;
  });
}

void TetScatter::add_tangent(const TetSlots& slots, const std::vector<double>& patch_coefficient,
                             const std::vector<Vec3d>& patch_vector, const Points& points,
                             Assembly& assembly) const {
  const double f = assembly.hessian_factor();
  const std::vector<Vec3d>* motion = assembly.driven_motion();
  BlockMatrix& matrix = assembly.matrix();
  std::vector<Vec3d>& rhs = assembly.driven_point_rhs();
  auto block = [&](const Pair& pair) {
    Mat3d h = Mat3d::zero();
    for (int k = pair.tet_begin; k < pair.tet_end; ++k) {
      const int code = pair_tets_[at_index(k)];
      const double* v = slots.tet(code / 32) + 9 * (code % 32 / 2) * TetSlots::kLanes;
      if (code % 2) {
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) h(i, j) += v[(3 * j + i) * TetSlots::kLanes];
      } else {
        for (int i = 0; i < 9; ++i) h[i] += v[i * TetSlots::kLanes];
      }
    }
    for (int k = pair.patch_begin; k < pair.patch_end; ++k) {
      const std::array<int, 2>& ij = pair_patches_[at_index(k)];
      h += patch_coefficient[at_index(pair_patch_id_[at_index(k)])] *
           outer(patch_vector[at_index(ij[0])], patch_vector[at_index(ij[1])]);
    }
    return h;
  };
  const auto n = static_cast<std::ptrdiff_t>(pairs_.size());
  for_each(n, [&](std::ptrdiff_t i) {
    const Pair& pair = pairs_[at_index(i)];
    if (points.driven(pair.q)) return;
    const int e = matrix.pattern().find(points.block(pair.p), points.block(pair.q));
    const Mat3d h = f * block(pair);
    double* out = matrix.entry(e);
    for (int c = 0; c < 9; ++c) out[c] += h[c];
  });
  if (!motion) return;
  for (const Pair& pair : pairs_)
    if (points.driven(pair.q))
      rhs[at_index(pair.p)] += f * (block(pair) * (*motion)[at_index(pair.q)]);
}

}  // namespace haptos
