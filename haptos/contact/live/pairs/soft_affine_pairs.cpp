#include "haptos/contact/live/pairs/soft_affine_pairs.h"

#include <array>

#include "haptos/base/math/index.h"
#include "haptos/contact/live/pairs/pair_batches.h"

namespace haptos {
namespace {

using namespace affine_pairs;

// Points of the soft side.
constexpr int soft_count(Sort s, bool corner) {
  return s >= kEdges ? 2 : corner ? point_count(s) - 1 : 1;
}

class SoftAffinePairs {
 public:
  SoftAffinePairs(std::span<const BarrierPair> pairs, double support,
                  const ContactSurface& collider, const Points& points, Assembly* assembly)
      : pairs_(pairs),
        support_(support),
        points_(points),
        assembly_(assembly),
        block_(points.block(collider.point[0])),
        wanted_(assembly && assembly->wants_hessian()) {}

  Energy run() {
    static thread_local Batches batches;
    sort_pairs(pairs_, points_.x, batches);
    Energy total;
    for (const Batch& b : batches) {
      if (b.pairs.empty()) continue;
      total += by_sort(b, [&]<Sort kSort, bool kCorner>() { return run_batch<kSort, kCorner>(b); });
    }
    if (wanted_) add_own();
    return total;
  }

 private:
  template <Sort kSort, bool kCorner>
  Energy run_batch(const Batch& b) {
    static thread_local std::vector<GroupForce> force;
    constexpr int kSoft = soft_count(kSort, kCorner);
    using U = Unknowns<kSoft, kAffine>;
    force.resize(at_index(b.groups()));
    for (std::ptrdiff_t i = 0; i < b.groups(); ++i) {
      Lane buffer[most_columns(kSort) * 2 * U::kSize];
      Columns<U> columns{buffer};
      const Group g =
          gather<kSort>(b, pairs_, i, [&](const BarrierPair& p, int k, int lane, Group& out) {
            set_point<kSort, kCorner>(p, k, lane, out);
          });
      if (!wanted_) {
        kernel<kSort, kCorner, U, false>(g, Lane(support_), force[at_index(i)], columns);
        continue;
      }
      kernel<kSort, kCorner, U, true>(g, Lane(support_), force[at_index(i)], columns);
      const std::ptrdiff_t count = (columns.next - buffer) / (2 * U::kSize);
      add_own<U>(buffer, count);
      add_shared<kSort, kCorner, U>(b, i, buffer, count);
    }
    return scatter(b, pairs_, force, assembly_);
  }

  template <Sort kSort, bool kCorner>
  void set_point(const BarrierPair& p, int k, int lane, Group& g) const {
    constexpr int kSources = kSort >= kEdges ? 2 : 1;
    const bool of_source = k < kSources;
    const Vec3d x =
        of_source && kSort < kEdges
            ? at(points_.x, p.source)
            : points_.x[at_index(of_source ? p.source.point[k] : p.target[k - kSources])];
    if (side_of(kSort, kCorner, k) == 1) {
      store(x, points_.weights(of_source ? p.source.point[k] : p.target[k - kSources]), k, lane, g);
      return;
    }
    double w[4] = {0, 0, 0, 0};
    w[kCorner ? k - 1 : k] = 1;
    store(x, w, k, lane, g);
  }

  // The sum over all pairs of the block of the body.
  template <class U>
  void add_own(const Lane* columns, std::ptrdiff_t count) {
    constexpr int kFirst = U::A::kSize;
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      const Lane *u = columns + k * 2 * U::kSize + kFirst, *v = u + U::kSize;
      for (int i = 0; i < 12; ++i)
        for (int j = 0; j <= i; ++j) own_[i][j] = fma(u[i], v[j], fma(v[i], u[j], own_[i][j]));
    }
  }

  void add_own() {
    const std::array<double, 12> none{};
    std::array<double, 144> h{};
    for (std::size_t i = 0; i < 12; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double s = 0;
        for (int l = 0; l < kLanes; ++l) s += own_[i][j][l];
        h[12 * i + j] = h[12 * j + i] = s;
      }
    assembly_->add_coordinates(block_, none.data(), h.data());
  }

  // What each pair of a pack adds by the points of the soft side.
  template <Sort kSort, bool kCorner, class U>
  void add_shared(const Batch& b, std::ptrdiff_t group, const Lane* columns, std::ptrdiff_t count) {
    constexpr int kRows = U::A::kSize;
    Lane sum[kRows][U::kSize];
    for (auto& row : sum)
      for (Lane& s : row) s = Lane(0);
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      const Lane *u = columns + k * 2 * U::kSize, *v = u + U::kSize;
      for (int i = 0; i < kRows; ++i)
        for (int j = 0; j < U::kSize; ++j)
          if (j <= i || j >= kRows) sum[i][j] = fma(u[i], v[j], fma(v[i], u[j], sum[i][j]));
    }
    const auto first = at_index(group * kLanes);
    for (std::size_t l = 0; l < kLanes && first + l < b.pairs.size(); ++l) {
      const BarrierPair& p = pairs_[at_index(b.pairs[first + l])];
      WeightedPoint soft[3];
      for (int a = 0; a < kRows / 3; ++a)
        soft[a] = kCorner           ? single(p.target[a])
                  : kSort >= kEdges ? single(p.source.point[a])
                                    : p.source;
      for (int a = 0; a < kRows / 3; ++a) {
        for (int c = 0; c <= a; ++c) {
          Mat3d h;
          for (int r = 0; r < 3; ++r)
            for (int s = 0; s < 3; ++s) {
              const int i = 3 * a + r, j = 3 * c + s;
              h(r, s) = (j <= i ? sum[i][j] : sum[j][i])[static_cast<int>(l)];
            }
          assembly_->add_hessian(soft[a], soft[c], h, a == c);
        }
        double coupled[3 * 12];
        for (int r = 0; r < 3; ++r)
          for (int s = 0; s < 12; ++s)
            coupled[12 * r + s] = sum[3 * a + r][kRows + s][static_cast<int>(l)];
        assembly_->add_coupling(soft[a], block_, coupled);
      }
    }
  }

  std::span<const BarrierPair> pairs_;
  double support_;
  const Points& points_;
  Assembly* assembly_;
  int block_;
  bool wanted_;
  Lane own_[12][12] = {};
};

}  // namespace

bool soft_on_affine(const ContactSurface& soft, const ContactSurface& collider,
                    const Points& points) {
  if (soft.driven || !is_stiff(collider, points)) return false;
  const int own = points.block(collider.point[0]);
  bool apart = true;
  for (const int p : soft.point) points.each_block(p, [&](int b) { apart = apart && b != own; });
  return apart;
}

Energy evaluate_soft_affine_pairs(std::span<const BarrierPair> pairs, double support,
                                  const ContactSurface& collider, const Points& points,
                                  Assembly* assembly) {
  if (pairs.empty()) return {};
  return SoftAffinePairs(pairs, support, collider, points, assembly).run();
}

}  // namespace haptos
