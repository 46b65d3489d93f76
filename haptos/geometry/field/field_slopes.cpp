// How far a sampled distance may change within some way.
#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/geometry/field/sampled_field.h"

namespace haptos {

double SampledField::change(const Vec3d& x, double phi, double r) const {
  constexpr double kHalf = 0.8660255;    // of the diagonal of a unit cube, rounded up
  constexpr double kSteepest = 1.73206;  // along an axis samples differ by a cell at most
  int i[3];
  const double beyond = cell_of(x, i);
  const bool fine = samples_at(i) != nullptr;
  // By the exact distance, which phi is within half a cell of, at both places.
  const double there = kHalf * (1 + 1e-6) * cell_, far = kBlock * there;
  const double way = r + (fine ? there : far);
  const bool deep = phi - beyond - way <= -kBand * cell_;  // may reach blocks without samples
  const double sure = way + (deep ? far : there) + beyond;
  if (r > kOctant * cell_) return fine && !deep ? vmin(sure, kSteepest * r + beyond) : sure;
  // Outside, blocks without samples are farther than that from what is inside.
  const int own[3] = {i[0] / kBlock, i[1] / kBlock, i[2] / kBlock};
  if (!fine && block_is_outside(own) && r < (kOutside - 1) * cell_) return 0;
  // By slopes, where phi makes no step on the way.
  const bool alone = !fine;
  int low[3], high[3];
  for (int k = 0; k < 3; ++k) {
    const double u = (x[k] - origin_[k]) * per_cell_, most = kBlock * blocks_[k] - 0.5;
    low[k] = static_cast<int>(clamp(u - r * per_cell_, 0.0, most)) / kBlock;
    high[k] = static_cast<int>(clamp(u + r * per_cell_, 0.0, most)) / kBlock;
    if (alone && low[k] != high[k]) return sure;
  }
  for (int c = low[2]; c <= high[2] && !alone; ++c)
    for (int b = low[1]; b <= high[1]; ++b)
      for (int a = low[0]; a <= high[0]; ++a)
        if (block_at({a, b, c}) < 0 && !block_is_outside({a, b, c})) return sure + far;
  return vmin(sure, kSteepest * r + beyond);
}

bool SampledField::block_is_outside(const int (&p)[3]) const {
  return coarse_[at_index((p[2] * (blocks_[1] + 1) + p[1]) * (blocks_[0] + 1) + p[0])] > 0;
}

bool SampledField::slopes(const Vec3d& x, double r, Vec3d& middle, double& spread) const {
  int i[3];
  if (r > kAbout * cell_ || cell_of(x, i) > 0) return false;
  const float* v = samples_at(i);
  if (!v) return false;
  const std::int32_t block = block_at({i[0] / kBlock, i[1] / kBlock, i[2] / kBlock});
  const auto half = [&](int k) { return i[k] / kOctant & 1; };
  const Slopes* s = &slopes_[at_index(8 * block + half(0) + 2 * half(1) + 4 * half(2))];
  Slopes cell;
  if (in_cell(x, i, r)) {
    for (int d = 0; d < 3; ++d)
      for (int c = 0; c < 8; ++c)
        if (!(c >> d & 1)) {
          constexpr int kStep[3] = {1, kSide, kSide * kSide};
          const float* at = v + (c & 1) + kSide * ((c >> 1 & 1) + kSide * (c >> 2));
          cell.merge(d, (at[kStep[d]] - *at) * static_cast<float>(per_cell_));
        }
    s = &cell;
  }
  if (!(s->lo[0] <= s->hi[0])) return false;
  double square = 0;
  for (int k = 0; k < 3; ++k) {
    const auto lo = static_cast<double>(s->lo[k]), hi = static_cast<double>(s->hi[k]);
    middle[k] = 0.5 * (lo + hi);
    square += 0.25 * (hi - lo) * (hi - lo);
  }
  spread = std::sqrt(square) + 1e-6;
  return true;
}

// Whether all within r of x is in the cell i.
bool SampledField::in_cell(const Vec3d& x, const int (&i)[3], double r) const {
  for (int k = 0; k < 3; ++k) {
    const double u = (x[k] - origin_[k]) * per_cell_ - i[k], off = r * per_cell_;
    if (u < off || u > 1 - off) return false;
  }
  return true;
}

// Along an axis the slope of a trilinear function is between those of the edges of its cell. So
// first the slopes of the edges in granules of kAbout cells, then what granules around an octant
// have.
void SampledField::find_slopes() {
  constexpr int kGranule = kAbout, kAcross = kBlock / kGranule;
  constexpr int kOf = kAcross * kAcross * kAcross;
  const auto blocks = static_cast<std::ptrdiff_t>(value_.size() / kSamples);
  std::vector<Slopes> granule(at_index(blocks) * kOf);
  const auto per_cell = static_cast<float>(per_cell_);
  for_each(
      blocks,
      [&](std::ptrdiff_t b) {
        constexpr int kStep[3] = {1, kSide, kSide * kSide};
        for (int g = 0; g < kOf; ++g) {
          const int low[3] = {kGranule * (g % kAcross), kGranule * (g / kAcross % kAcross),
                              kGranule * (g / kAcross / kAcross)};
          const float* v = &value_[at_index(b) * kSamples +
                                   at_index(low[0] + kSide * (low[1] + kSide * low[2]))];
          Slopes& s = granule[at_index(b * kOf + g)];
          for (int k = 0; k <= kGranule; ++k)
            for (int j = 0; j <= kGranule; ++j)
              for (int i = 0; i <= kGranule; ++i) {
                const int place[3] = {i, j, k};
                const float* at = v + i + kSide * (j + kSide * k);
                for (int d = 0; d < 3; ++d)
                  if (place[d] < kGranule) s.merge(d, (at[kStep[d]] - *at) * per_cell);
              }
        }
      },
      16);
  slopes_.assign(at_index(blocks) * 8, {});
  std::vector<Vec3i> place(at_index(blocks));
  for (int k = 0, n = 0; k < blocks_[2]; ++k)
    for (int j = 0; j < blocks_[1]; ++j)
      for (int i = 0; i < blocks_[0]; ++i, ++n)
        if (block_[at_index(n)] >= 0) place[at_index(block_[at_index(n)])] = {{i, j, k}};
  for_each(
      blocks,
      [&](std::ptrdiff_t b) {
        for (int o = 0; o < 8; ++o) {
          Slopes& s = slopes_[at_index(8 * b + o)];
          bool whole = true;
          // One granule further than the octant, as far as there is a grid.
          for (int k = -1; k <= kAcross / 2; ++k)
            for (int j = -1; j <= kAcross / 2; ++j)
              for (int i = -1; i <= kAcross / 2; ++i) {
                int in[3] = {i, j, k}, at[3];
                bool there = true;
                for (int d = 0; d < 3; ++d) {
                  in[d] += (o >> d & 1) * kAcross / 2;
                  at[d] = place[at_index(b)][d];
                  if (in[d] < 0) --at[d], in[d] += kAcross;
                  if (in[d] >= kAcross) ++at[d], in[d] -= kAcross;
                  there = there && at[d] >= 0 && at[d] < blocks_[d];
                }
                if (!there) continue;
                const std::int32_t other = block_at(at);
                whole = whole && other >= 0;
                if (whole)
                  s.merge(
                      granule[at_index(other * kOf + in[0] + kAcross * (in[1] + kAcross * in[2]))]);
              }
          if (!whole) s = {};
        }
      },
      16);
}

}  // namespace haptos
