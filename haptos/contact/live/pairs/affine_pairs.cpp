#include "haptos/contact/live/pairs/affine_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "haptos/base/math/clamp_positive.h"
#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/contact/live/pairs/affine_pair_kernel.h"
#include "haptos/contact/live/pairs/pair_batches.h"

namespace haptos {
namespace {

using namespace affine_pairs;

constexpr int kGroups = 16;  // packs of pairs in a chunk

class StiffPairs {
 public:
  StiffPairs(std::span<const BarrierPair> pairs, double support, const ContactSurface& soft,
             const ContactSurface& collider, const Points& points, Assembly* assembly, bool project)
      : pairs_(pairs),
        surface_{&soft, &collider},
        project_(project),
        support_(support),
        points_(points),
        assembly_(assembly),
        block_{points.block(soft.point[0]), points.block(collider.point[0])},
        driven_{soft.driven, collider.driven} {
    motion_ = assembly ? assembly->driven_motion() : nullptr;
    sort_pairs(pairs, points.x, batches_);
  }

  Energy run() {
    if (driven_[0]) return run_with<Unknowns<kDriven, kAffine>>();
    if (driven_[1]) return run_with<Unknowns<kAffine, kDriven>>();
    return run_with<Unknowns<kAffine, kAffine>>();
  }

 private:
  template <class U>
  Energy run_with() {
    Energy total;
    std::vector<double> hessian(U::kSize * U::kSize, 0.0);
    for (const Batch& b : batches_) {
      if (b.pairs.empty()) continue;
      total += by_sort(
          b, [&]<Sort kSort, bool kCorner>() { return run_batch<kSort, kCorner, U>(b, hessian); });
    }
    if (assembly_ && assembly_->wants_hessian()) add_hessian<U>(hessian);
    return total;
  }

  template <Sort kSort, bool kCorner, class U>
  Energy run_batch(const Batch& b, std::vector<double>& hessian) {
    const bool wanted = assembly_ && assembly_->wants_hessian();
    const std::ptrdiff_t groups = b.groups();
    const std::ptrdiff_t chunks = (groups + kGroups - 1) / kGroups;
    force_.resize(at_index(groups));
    const std::size_t size = wanted ? U::kSize * U::kSize : 0;
    std::vector<double> part(at_index(chunks) * size, 0.0);
    for_each(
        chunks,
        [&](std::ptrdiff_t chunk) {
          Lane buffer[kGroups * most_columns(kSort) * 2 * U::kSize];
          Columns<U> columns{buffer};
          const std::ptrdiff_t end = std::min(groups, (chunk + 1) * kGroups);
          for (std::ptrdiff_t i = chunk * kGroups; i < end; ++i) {
            const Group g =
                gather<kSort>(b, pairs_, i, [&](const BarrierPair& p, int k, int lane, Group& out) {
                  set_point(p, k, kSort, lane, out);
                });
            if (wanted)
              kernel<kSort, kCorner, U, true>(g, Lane(support_), force_[at_index(i)], columns);
            else
              kernel<kSort, kCorner, U, false>(g, Lane(support_), force_[at_index(i)], columns);
          }
          if (wanted)
            add_products<U>(buffer, (columns.next - buffer) / (2 * U::kSize),
                            part.data() + at_index(chunk) * size);
        },
        1);
    for (std::ptrdiff_t chunk = 0; chunk < chunks && wanted; ++chunk)
      for (std::size_t i = 0; i < size; ++i) hessian[i] += part[at_index(chunk) * size + i];
    return scatter(b, pairs_, force_, assembly_);
  }

  template <class U>
  void add_products(const Lane* columns, std::ptrdiff_t count, double* out) const {
    constexpr int kSize = U::kSize;
    if constexpr (kSize == 24) {
      multiply<24, 0, 24>(columns, count, out);
    } else {
      constexpr bool kFirst = U::A::kSize == 1;  // where the driven one stands
      multiply<kSize, kFirst ? 1 : 0, 12>(columns, count, out);
      if (motion_) multiply_motion<kSize, kFirst ? 0 : 12>(columns, count, out);
    }
  }

  void set_point(const BarrierPair& p, int k, Sort sort, int lane, Group& g) const {
    const bool of_source = k < (sort >= kEdges ? 2 : 1);
    if (of_source && sort < kEdges && p.source.count > 1) {
      Vec3d x = Vec3d::zero();
      double w[4] = {0, 0, 0, 0};
      for (int i = 0; i < p.source.count; ++i) {
        double part[4];
        weights(p.source.point[i], side_of(sort, p.kind == PairKind::kCorner, k), part);
        for (int a = 0; a < 4; ++a) w[a] = fma(p.source.weight[i], part[a], w[a]);
      }
      x = at(points_.x, p.source);
      store(x, w, k, lane, g);
      return;
    }
    const int point = of_source ? p.source.point[k] : p.target[k - (sort >= kEdges ? 2 : 1)];
    double w[4];
    weights(point, side_of(sort, p.kind == PairKind::kCorner, k), w);
    store(points_.x[at_index(point)], w, k, lane, g);
  }

  void weights(int point, int side, double* w) const {
    if (!driven_[side]) {
      const double* from = points_.weights(point);
      for (int a = 0; a < 4; ++a) w[a] = from[a];
      return;
    }
    for (int a = 0; a < 4; ++a) w[a] = motion_ && a < 3 ? (*motion_)[at_index(point)][a] : 0.0;
  }

  template <class U>
  void add_hessian(std::vector<double>& h) {
    const int n = U::kSize, first = U::A::kSize;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        const double s = h[at_index(i * n + j)] + h[at_index(j * n + i)];
        h[at_index(i * n + j)] = h[at_index(j * n + i)] = s;
      }
    if (project_) clamp<U>(h);
    const auto block = [&](int row, int column, int rows, int columns) {
      std::array<double, 144> out{};
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c)
          out[at_index(r * columns + c)] = h[at_index((row + r) * n + column + c)];
      return out;
    };
    const std::array<double, 12> none{};
    for (int side = 0; side < 2; ++side) {
      if (driven_[side]) continue;
      const int o = side * first;
      assembly_->add_coordinates(block_[side], none.data(), block(o, o, 12, 12).data());
      if (driven_[1 - side] && motion_)
        assembly_->add_driven_rhs(block_[side], block(o, side == 0 ? 12 : 0, 12, 1).data());
    }
    if (!driven_[0] && !driven_[1])
      assembly_->add_coupling(block_[1], block_[0], block(first, 0, 12, 12).data());
  }

  // Of the free bodies together: eigenvalues of a matrix in newtons per metre at the radii.
  template <class U>
  void clamp(std::vector<double>& h) const {
    Mat<double, 24, 24> m;
    double scale[24];
    int at[24], n = 0;
    for (int side = 0; side < 2; ++side) {
      if (driven_[side]) continue;
      const double r = radius(*surface_[side]);
      for (int i = 0; i < 12; ++i, ++n) {
        at[n] = side * U::A::kSize + i;
        scale[n] = i < 3 ? 1.0 : r;
      }
    }
    const auto entry = [&](int i, int j) -> double& {
      return h[at_index(at[i] * U::kSize + at[j])];
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) m(i, j) = entry(i, j) / (scale[i] * scale[j]);
    if (positive(m, n)) return;
    clamp_positive_block(m, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) entry(i, j) = m(i, j) * (scale[i] * scale[j]);
  }

  // Whether the leading n x n block, singular with few contacts, has a Cholesky factor but for
  // round-off: far cheaper than its eigenvalues.
  static bool positive(Mat<double, 24, 24> m, int n) {
    double largest = 0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, m(i, i));
    for (int i = 0; i < n; ++i) m(i, i) += 1e-11 * largest;
    for (int j = 0; j < n; ++j) {
      if (!(m(j, j) > 0)) return false;
      for (int i = j + 1; i < n; ++i) {
        const double l = m(i, j) / m(j, j);
        for (int k = j + 1; k <= i; ++k) m(i, k) = fma(-l, m(k, j), m(i, k));
      }
    }
    return true;
  }

  // Root mean square of the points' coordinates along an axis [m].
  double radius(const ContactSurface& s) const {
    double sum = 0;
    for (int p : s.point) {
      const double* w = points_.weights(p);
      sum += w[1] * w[1] + w[2] * w[2] + w[3] * w[3];
    }
    return sqrt(sum / (3 * static_cast<double>(s.point.size())));
  }

  std::span<const BarrierPair> pairs_;
  const ContactSurface* surface_[2];
  bool project_;
  double support_;
  const Points& points_;
  Assembly* assembly_;
  int block_[2];
  bool driven_[2];
  const std::vector<Vec3d>* motion_ = nullptr;
  Batches batches_;
  std::vector<GroupForce> force_;
};

bool affine(const ContactSurface& s, const Points& points) {
  return !s.point.empty() && std::all_of(s.point.begin(), s.point.end(), [&](int p) {
    return points.columns(p) == 12 && !points.jacobian(p) &&
           points.block(p) == points.block(s.point[0]);
  });
}

}  // namespace

bool is_stiff(const ContactSurface& s, const Points& points) { return affine(s, points); }

bool both_stiff(const ContactSurface& soft, const ContactSurface& collider, const Points& points) {
  const bool a = affine(soft, points), b = affine(collider, points);
  return (a && b && points.block(soft.point[0]) != points.block(collider.point[0])) ||
         (a && collider.driven) || (b && soft.driven);
}

Energy evaluate_stiff_pairs(std::span<const BarrierPair> pairs, double support,
                            const ContactSurface& soft, const ContactSurface& collider,
                            const Points& points, Assembly* assembly, bool project) {
  if (pairs.empty()) return {};
  return StiffPairs(pairs, support, soft, collider, points, assembly, project).run();
}

}  // namespace haptos
