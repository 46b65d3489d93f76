// How far a sampled distance may change within some way.
#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/geometry/field/sampled_field.h"

namespace haptos {

double SampledField::change(const Vec3d& x, double phi, double r) const {
  constexpr double kSteepest = 1.73206;  // along an axis samples differ by a cell at most
  int i[3];
  const double beyond = cell_of(x, i);
  const bool fine = samples_at(i) != nullptr;
  // Samples are distances, which differ by the way between them at most. So values at x and y
  // differ by no more than the mean way from a corner about x to one about y, each taken as often
  // as it weighs: by the root of its mean square, r^2 and the spread of the corners of both cells.
  const bool deep = phi - beyond - r - slack(fine) <= -kBand * cell_;  // y: maybe in a coarse cell
  const auto spread = [&](bool samples) { return 0.75 * square(samples ? cell_ : kBlock * cell_); };
  const double sure = std::sqrt(r * r + spread(fine) + spread(!deep)) + beyond, far = slack(false);
  if (r > kOctant * cell_) return fine && !deep ? vmin(sure, kSteepest * r + beyond) : sure;
  // Outside, blocks without samples are farther than that from what is inside.
  const int own[3] = {i[0] / kBlock, i[1] / kBlock, i[2] / kBlock};
  if (!fine && block_is_outside(own) && r < (kOutside - 1) * cell_) return 0;
  // By slopes, where phi makes no step on the way.
  int low[3], high[3];
  for (int k = 0; k < 3; ++k) {
    const double u = (x[k] - origin_[k]) * per_cell_, most = kBlock * blocks_[k] - 0.5;
    low[k] = static_cast<int>(clamp(u - r * per_cell_, 0.0, most)) / kBlock;
    high[k] = static_cast<int>(clamp(u + r * per_cell_, 0.0, most)) / kBlock;
    if (!fine && low[k] != high[k]) return sure;
  }
  for (int c = low[2]; c <= high[2] && fine; ++c)
    for (int b = low[1]; b <= high[1]; ++b)
      for (int a = low[0]; a <= high[0]; ++a)
        if (block_at({a, b, c}) < 0 && !block_is_outside({a, b, c})) return sure + far;
  return vmin(sure, kSteepest * r + beyond);
}

bool SampledField::block_is_outside(const int (&p)[3]) const {
  return coarse_[at_index((p[2] * (blocks_[1] + 1) + p[1]) * (blocks_[0] + 1) + p[0])] > 0;
}

bool SampledField::slopes(const Vec3d& x, double r, SlopeBound& bound) const {
  Slopes s;
  if (!slopes_in_cells(x, r, s)) {
    s = {};
    if (!slopes_in_octants(x, r, s)) return false;
  }
  for (int k = 0; k < 3; ++k) {
    const auto lo = static_cast<double>(s.lo[k]), hi = static_cast<double>(s.hi[k]);
    bound.middle[k] = 0.5 * (lo + hi);
    bound.along[k] = 0.5 * (hi - lo) + 1e-6;
  }
  bound.spread = norm(bound.along);
  return true;
}

// Of the octants within r of x, less what is known about each, where they keep samples.
bool SampledField::slopes_in_octants(const Vec3d& x, double r, Slopes& near) const {
  if (r > kFarthest * cell_) return false;
  int first[3], last[3];
  const double way = r * per_cell_, off = vmax(way - kAbout, 0.0);
  for (int k = 0; k < 3; ++k) {
    const double u = (x[k] - origin_[k]) * per_cell_;
    if (u - way < 0 || u + way >= kBlock * blocks_[k]) return false;
    first[k] = static_cast<int>(u - off) / kOctant, last[k] = static_cast<int>(u + off) / kOctant;
  }
  for (int c = first[2]; c <= last[2]; ++c)
    for (int b = first[1]; b <= last[1]; ++b)
      for (int a = first[0]; a <= last[0]; ++a) {
        const std::int32_t block = block_at({a / 2, b / 2, c / 2});
        if (block < 0) return false;
        const Slopes& s = slopes_[at_index(8 * block + (a & 1) + 2 * (b & 1) + 4 * (c & 1))];
        if (!(s.lo[0] <= s.hi[0])) return false;
        near.merge(s);
      }
  return true;
}

// Of the cells within r of x, where they are no more than kNear along each axis and keep samples.
bool SampledField::slopes_in_cells(const Vec3d& x, double r, Slopes& near) const {
  constexpr int kNear = 4;
  int first[3], last[3];
  for (int k = 0; k < 3; ++k) {
    const double u = (x[k] - origin_[k]) * per_cell_, off = r * per_cell_;
    if (u - off < 0 || u + off >= kBlock * blocks_[k]) return false;
    first[k] = static_cast<int>(u - off), last[k] = static_cast<int>(u + off);
    if (last[k] - first[k] >= kNear) return false;
  }
  int at[3];
  for (at[2] = first[2] / kBlock; at[2] <= last[2] / kBlock; ++at[2])
    for (at[1] = first[1] / kBlock; at[1] <= last[1] / kBlock; ++at[1])
      for (at[0] = first[0] / kBlock; at[0] <= last[0] / kBlock; ++at[0]) {
        const std::int32_t block = block_at(at);
        if (block < 0) return false;
        int lo[3], hi[3];  // corners
        for (int k = 0; k < 3; ++k) {
          lo[k] = std::max(first[k] - kBlock * at[k], 0);
          hi[k] = std::min(last[k] - kBlock * at[k], kBlock - 1) + 1;
        }
        const float* v = &value_[at_index(block) * kSamples];
        for (int axis = 0; axis < 3; ++axis) {
          constexpr int kStep[3] = {1, kSide, kSide * kSide};
          const int step = kStep[axis];
          float least = near.lo[axis] * static_cast<float>(cell_),
                most = near.hi[axis] * static_cast<float>(cell_);
          for (int c = lo[2]; c <= hi[2] - (axis == 2); ++c)
            for (int b = lo[1]; b <= hi[1] - (axis == 1); ++b) {
              const float* row = v + kSide * (b + kSide * c);
              for (int a = lo[0]; a <= hi[0] - (axis == 0); ++a) {
                const float rise = row[a + step] - row[a];
                least = std::min(least, rise), most = std::max(most, rise);
              }
            }
          near.lo[axis] = least * static_cast<float>(per_cell_);
          near.hi[axis] = most * static_cast<float>(per_cell_);
        }
      }
  return true;
}

// Along an axis the slope of a trilinear function is between those of the edges of its cell. So
// first the slopes of the edges in granules of kAbout cells, then what granules around an octant
// have.
void SampledField::find_slopes() {
  const auto blocks = static_cast<std::ptrdiff_t>(value_.size() / kSamples);
  std::vector<Slopes> granule(at_index(blocks) * kGranules);
  for_each(
      blocks,
      [&](std::ptrdiff_t b) {
        for (int g = 0; g < kGranules; ++g)
          granule[at_index(b * kGranules + g)] = slopes_in_granule(b, g);
      },
      16);
  slopes_.assign(at_index(blocks) * 8, {});
  for_each(
      static_cast<std::ptrdiff_t>(block_.size()),
      [&](std::ptrdiff_t n) {
        const std::int32_t b = block_[at_index(n)];
        if (b < 0) return;
        const auto k = static_cast<int>(n);
        const int at[3] = {k % blocks_[0], k / blocks_[0] % blocks_[1],
                           k / blocks_[0] / blocks_[1]};
        for (int o = 0; o < 8; ++o)
          slopes_[at_index(8 * std::ptrdiff_t{b} + o)] = slopes_about_octant(at, o, granule);
      },
      16);
}

SampledField::Slopes SampledField::slopes_in_granule(std::ptrdiff_t block, int g) const {
  constexpr int kStep[3] = {1, kSide, kSide * kSide};
  constexpr int kEnd = kAbout + 1;
  const int low[3] = {kAbout * (g % kAcross), kAbout * (g / kAcross % kAcross),
                      kAbout * (g / kAcross / kAcross)};
  const float* v =
      &value_[at_index(block) * kSamples + at_index(low[0] + kSide * (low[1] + kSide * low[2]))];
  Slopes s;
  for (int n = 0; n < kEnd * kEnd * kEnd; ++n) {
    const int place[3] = {n % kEnd, n / kEnd % kEnd, n / kEnd / kEnd};
    const float* at = v + place[0] + kSide * (place[1] + kSide * place[2]);
    for (int d = 0; d < 3; ++d)
      if (place[d] < kAbout) s.merge(d, (at[kStep[d]] - *at) * static_cast<float>(per_cell_));
  }
  return s;
}

// From one granule before the octant to one after, as far as there is a grid. None where one of
// them is of a block without samples.
SampledField::Slopes SampledField::slopes_about_octant(const int (&block)[3], int octant,
                                                       const std::vector<Slopes>& granule) const {
  constexpr int kWide = kAcross / 2 + 2;
  Slopes s;
  for (int n = 0; n < kWide * kWide * kWide; ++n) {
    int in[3] = {n % kWide - 1, n / kWide % kWide - 1, n / kWide / kWide - 1}, at[3];
    bool there = true;
    for (int d = 0; d < 3; ++d) {
      in[d] += (octant >> d & 1) * kAcross / 2;
      at[d] = block[d];
      if (in[d] < 0) --at[d], in[d] += kAcross;
      if (in[d] >= kAcross) ++at[d], in[d] -= kAcross;
      there = there && at[d] >= 0 && at[d] < blocks_[d];
    }
    if (!there) continue;
    const std::int32_t other = block_at(at);
    if (other < 0) return {};
    s.merge(granule[at_index(std::ptrdiff_t{other} * kGranules + in[0] +
                             kAcross * (in[1] + kAcross * in[2]))]);
  }
  return s;
}

}  // namespace haptos
