#include "haptos/geometry/pressure/pressure_surface.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/geometry/shape/shape_bounds.h"

namespace haptos {
namespace {

// The grid is first made finer until so many cells may hold the surface and so many do; where that
// many more hold none of it, the bodies do not overlap.
constexpr std::size_t kEnough = 40, kTooMany = 4000;
constexpr int kEnoughSeen = 20;
// As long as fewer cells of samples are in both bodies at their middle, that many do not.
constexpr int kEnoughDeep = 5;
// Of g, by which a step to its zero is told.
constexpr double kNoSlope = 1e-6;
constexpr int kLevels = 24;
// Cells of samples are not parted further than that to find a small patch.
constexpr double kBelowSamples = 0.2;
// In the end the grid need be no finer than that: samples are linear between.
constexpr double kFinest = 0.05;
// Cells across the width of a strip, as a part of those across a disc, and at most along it.
constexpr double kAcrossStrip = 0.07, kAlong = 256;

// Of its size, by which the region is made larger where S may lie in a side of it.
constexpr double kBeyond = 1e-6;
// The grid is that of the samples where it need be no coarser than so many times.
constexpr double kOwnGrid = 1.3;
// Slope of a trilinear function of distances.
constexpr double kSteepest = 1.73206;

double one_norm(const Vec3d& v) { return vabs(v[0]) + vabs(v[1]) + vabs(v[2]); }

}  // namespace

// Chooses the body whose frame the grid is in: that with the finer samples, else the smaller one.
bool PressureSurface::take(const Side& a, const Side& b) {
  const auto finer = [](const Side& s, const Side& o) {
    if (!s.field->bounded() || !o.field->bounded()) return s.field->bounded();
    const double hs = s.field->cell(), ho = o.field->cell();
    if (hs > 0 && ho > 0) return hs <= ho;
    if (hs > 0 || ho > 0) return hs > 0;
    return norm(s.field->box().extent()) <= norm(o.field->box().extent());
  };
  own_is_a_ = finer(a, b);
  const Side &own = own_is_a_ ? a : b, &other = own_is_a_ ? b : a;
  own_ = own.field, other_ = other.field;
  frame_ = own.pose;
  to_world_ = to_matrix(own.pose.q);
  const Mat3d other_from_world = transpose(to_matrix(other.pose.q));
  turn_ = other_from_world * to_world_;
  shift_ = other_from_world * (own.pose.p - other.pose.p);
  k_own_ = own.modulus, k_other_ = other.modulus;
  if (std::isinf(k_own_)) {
    share_own_ = 1, share_other_ = 0, k_ = k_other_;
  } else if (std::isinf(k_other_)) {
    share_own_ = 0, share_other_ = 1, k_ = k_own_;
  } else {
    share_own_ = k_own_ / (k_own_ + k_other_), share_other_ = 1 - share_own_;
    k_ = share_own_ * k_other_;
  }
  take_tables(own, other);
  convex_ = own_->convex() && other_->convex();
  const auto sampled = [](const DistanceField& f) { return f.cell() > 0 || !f.bounded(); };
  sampled_ = sampled(*own_) && sampled(*other_);
  region_ = own_->box();
  if (other_->bounded()) {
    const Vec3d back = -(transpose(turn_) * shift_);
    const Aabb& box = other_->box();
    const Vec3d middle = transpose(turn_) * box.centre() + back, half = box.extent() * 0.5;
    for (int k = 0; k < 3; ++k) {
      double reach = 0;
      for (int j = 0; j < 3; ++j) reach += vabs(turn_(j, k)) * half[j];
      region_.lo[k] = std::max(region_.lo[k], middle[k] - reach - way_);
      region_.hi[k] = std::min(region_.hi[k], middle[k] + reach + way_);
    }
  }
  if (region_.is_empty()) return false;
  // S is the surface of what is rigid, which may lie right in a side of the region.
  if (share_own_ == 0 || share_other_ == 0) region_.inflate(kBeyond * norm(region_.extent()));
  return true;
}

// Whether a cube about a place may hold a point of the surface, also where other has moved by way_.
bool PressureSurface::may_hold(const Vec3d& middle, double half) {
  const double radius = 2 * kHalf * half;
  const Vec3d there = turn_ * middle + shift_;
  const double phi_own = own_->phi(middle);
  const double own = own_->change(middle, phi_own, radius);
  about_.known = false;
  if (phi_own > own) return false;
  const double phi_other = other_->phi(there);
  const double other = other_->change(there, phi_other, radius + way_);
  ++asked_;
  if (phi_other > other) return false;
  const double gap = g({phi_own, phi_other}), sum = phi_own + phi_other;
  if (vabs(gap) > share_own_ * own + share_other_ * other) return false;
  about_.middle = {phi_own, phi_other};
  about_.least = sum - own - other;
  SlopeBound slope_own, slope_other;
  if (own_->slopes(middle, radius, slope_own) &&
      other_->slopes(there, radius + way_, slope_other)) {
    const double spread_own = slope_own.spread, spread_other = slope_other.spread;
    about_.bend_own = slope_own.along, about_.bend_other = slope_other.along;
    const Vec3d across = transpose(turn_) * slope_other.middle;
    const double moved = way_ > 0 ? (norm(slope_other.middle) + spread_other) * way_ : 0;
    about_.known = true;
    about_.gap = gap, about_.sum = sum;
    about_.gap_slope = share_own_ * slope_own.middle - share_other_ * across;
    about_.sum_slope = slope_own.middle + across;
    about_.gap_off =
        (share_own_ * spread_own + share_other_ * spread_other) * radius + share_other_ * moved;
    // Between tables g bends with the depths: its bound above holds, its slopes do not.
    if (bent_) about_.gap_off = Aabb::kInf;
    about_.sum_off = (spread_own + spread_other) * radius + moved;
    about_.least = std::max(about_.least, about_.least_sum(half));
    return about_.may_hold(Vec3d::zero(), half);
  }
  if (!convex_) return true;
  // The sum is convex: no less than its tangents say, there and where g is about zero.
  const auto no_less = [&](const Vec3d& at, double sum_at, const Vec3d& slope) {
    const double low = sum_at + dot(slope, middle - at) - half * one_norm(slope) * (1 + 1e-9);
    about_.least = std::max(about_.least, low - 1e-12 * radius - way_);
    return about_.least;
  };
  const Vec3d out = own_->at(middle).gradient,
              across = transpose(turn_) * other_->at(there).gradient;
  if (no_less(middle, sum, out + across) > 0) return false;
  const Vec3d slope = share_own_ * out - share_other_ * across;
  const double size = squared_norm(slope);
  if (!(size > kNoSlope * square(share_own_ + share_other_))) return true;
  const Vec3d at = middle - slope * (gap / size);
  const SignedDistance<double> a = own_->at(at), b = other_->at(turn_ * at + shift_);
  ++asked_;
  return no_less(at, a.phi + b.phi, a.gradient + transpose(turn_) * b.gradient) <= 0;
}

// A part of that cube.
bool PressureSurface::About::may_hold(const Vec3d& off, double half) const {
  return sum + dot(sum_slope, off) <= half * one_norm(sum_slope) + sum_off &&
         vabs(gap + dot(gap_slope, off)) <= half * one_norm(gap_slope) + gap_off;
}

double PressureSurface::About::least_sum(double half) const {
  return sum - half * one_norm(sum_slope) - sum_off;
}

bool PressureSurface::begin(const Side& a, const Side& b, double way) {
  patches_.clear(), triangles_.clear();
  cut_cells_ = 0, asked_ = 0, deepest_ = presses_ = opposes_ = 0;
  way_ = way;
  return take(a, b);
}

void PressureSurface::find(const Side& a, const Side& b) {
  if (!begin(a, b, 0)) return;
  Aabb where;
  choosing_ = true;
  const bool found = choose_cell(where);
  choosing_ = false;
  cut_cells_ = 0;
  if (!found) return;
  if (by_table_) law_both_ = PressureLaw::of_both(law_own_, law_other_);
  cut_all(where);
}

// Makes the grid finer until it shows the surface, and says where that is and how fine the last
// grid is. False: there is no surface.
bool PressureSurface::choose_cell(Aabb& where) {
  const Vec3d size = region_.extent();
  const double longest = std::max({size[0], size[1], size[2]});
  if (!(longest > 0)) return false;
  area_ = rim_ = 0, cut_box_ = Aabb(), seen_ = 0;
  cell_ = longest / 2;
  origin_ = region_.lo;
  cells_.clear();
  int n[3];
  for (int k = 0; k < 3; ++k) n[k] = std::max(1, static_cast<int>(std::ceil(size[k] / cell_)));
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) cells_.push_back({{i, j, k}});
  const auto corner = [&](const Cell& c) {
    return origin_ + cell_ * Vec3d{{double(c.at[0]), double(c.at[1]), double(c.at[2])}};
  };
  for (int level = 0; level < kLevels; ++level) {
    next_.clear();
    int deep = 0;
    std::erase_if(cells_, [&](const Cell& c) {
      const double half = 0.5 * cell_;
      if (!may_hold(corner(c) + half * Vec3d{{1, 1, 1}}, half)) return true;
      deep += about_.middle.own + about_.middle.other < 0;
      for (int k = 0; k < 8; ++k)
        if (!about_.known || about_.may_hold(middle_of_part(k, 0.5 * half), 0.5 * half))
          next_.push_back(
              {{2 * c.at[0] + (k & 1), 2 * c.at[1] + (k >> 1 & 1), 2 * c.at[2] + (k >> 2)}});
      return false;
    });
    if (cells_.empty()) return false;
    const bool finest = own_->cell() > 0 && cell_ < kBelowSamples * own_->cell();
    const bool many = cells_.size() > kTooMany;
    if (finest || many || (cells_.size() >= kEnough && (deep >= kEnoughDeep || convex_))) {
      area_ = deepest_ = rim_ = 0, cut_box_ = Aabb(), seen_ = 0;
      about_.known = false;
      take_bends();
      for (const Cell& c : cells_) {
        const Vec3d low = corner(c);
        Both d[8];
        for (int k = 0; k < 8; ++k)
          d[k] = both(low + cell_ * Vec3d{{double(k & 1), double(k >> 1 & 1), double(k >> 2)}});
        cut_cell(low, cell_, d, nullptr, 0, kFiner);
      }
      if (seen_ >= kEnoughSeen || many) break;
    }
    if (finest) break;
    cells_.swap(next_);
    cell_ *= 0.5;
  }
  if (!(area_ > 0)) return false;
  where = Aabb();
  for (const Cell& c : cells_) {
    const Vec3d low = corner(c);
    where.merge(low), where.merge(low + cell_ * Vec3d{{1, 1, 1}});
  }
  for (int k = 0; k < 3; ++k) {
    where.lo[k] = std::max(where.lo[k], region_.lo[k]);
    where.hi[k] = std::min(where.hi[k], region_.hi[k]);
  }
  const Vec3d across = cut_box_.extent();
  const double along = std::max({across[0], across[1], across[2]});
  double cell = std::sqrt(area_) / cells_across;
  if (rim_ > 0) cell = std::min(cell, 2 * area_ / rim_ / (kAcrossStrip * cells_across));
  cell = std::max(cell, along / kAlong);
  const double sampled = own_->cell();
  cell = std::max(cell, kFinest * sampled);
  origin_ = Vec3d::zero();
  on_samples_ = sampled > 0 && cell >= sampled && cell < kOwnGrid * sampled;
  if (on_samples_) cell = sampled;
  // The corners of the grid are those of the samples, or of a grid that holds some of them.
  if (sampled > 0) origin_ = own_->sampled()->origin();
  cell_ = cell;
  return true;
}

// Blocks that may hold the surface, from large ones to those of kLeaf cells.
void PressureSurface::cut_all(const Aabb& where) {
  int first[3], last[3], longest = 0;
  for (int k = 0; k < 3; ++k) {
    first[k] = static_cast<int>(std::floor((where.lo[k] - origin_[k]) / cell_ - 1e-9));
    last[k] = static_cast<int>(std::ceil((where.hi[k] - origin_[k]) / cell_ + 1e-9));
    if (on_samples_) first[k] &= ~(kLeaf - 1);  // a block of samples holds whole leaves
    longest = std::max(longest, last[k] - first[k]);
  }
  struct Block {
    int at[3], size;
  };
  int size = kLeaf;
  while (size < longest) size *= 2;
  std::vector<Block> stack{{{first[0], first[1], first[2]}, size}};
  while (!stack.empty()) {
    const Block b = stack.back();
    stack.pop_back();
    if (b.at[0] >= last[0] || b.at[1] >= last[1] || b.at[2] >= last[2]) continue;
    const double half = 0.5 * b.size;
    const Vec3d middle = origin_ + cell_ * Vec3d{{b.at[0] + half, b.at[1] + half, b.at[2] + half}};
    if (!may_hold(middle, half * cell_)) continue;
    if (b.size == kLeaf) {
      cut_block({{b.at[0], b.at[1], b.at[2]}});
      continue;
    }
    const int s = b.size / 2;
    for (int k = 7; k >= 0; --k)
      stack.push_back(
          {{b.at[0] + s * (k & 1), b.at[1] + s * (k >> 1 & 1), b.at[2] + s * (k >> 2)}, s});
  }
}

// Of a block the cells in which the surface and what both are inside of may be. Where both are
// sampled distances are asked at all corners at once: what tells that they are not needed takes
// longer. Else at those of the halves along each axis that may hold the surface.
void PressureSurface::cut_block(const Vec3i& first) {
  constexpr int kHalfLeaf = kLeaf / 2;
  ++block_;
  if (sampled_) {
    ask_corners(first);
    take_bends();
    cut_cells(first, {{0, 0, 0}}, kLeaf);
    return;
  }
  for (int part = 0; part < 8; ++part) {
    const Vec3i low{{kHalfLeaf * (part & 1), kHalfLeaf * (part >> 1 & 1), kHalfLeaf * (part >> 2)}};
    constexpr double kMiddle = 0.5 * kHalfLeaf;
    const Vec3d middle = corner(first, low) + Vec3d{{1, 1, 1}} * (kMiddle * cell_);
    if (!may_hold(middle, kMiddle * cell_)) continue;
    take_bends();
    for (int k = low[2]; k <= low[2] + kHalfLeaf; ++k)
      for (int j = low[1]; j <= low[1] + kHalfLeaf; ++j)
        for (int i = low[0]; i <= low[0] + kHalfLeaf; ++i) ask_corner(first, i, j, k);
    cut_cells(first, low, kHalfLeaf);
  }
}

// Cells whose corners were asked, `n` along each axis from `low` on.
void PressureSurface::cut_cells(const Vec3i& first, const Vec3i& low, int n) {
  // Of the corners of a row of cells, a bit each: those below, of some and of all four rows.
  const auto row = [&](int j, int k) {
    unsigned bits = 0;
    for (int i = low[0]; i <= low[0] + n; ++i)
      bits |= unsigned{below_[at_index(place(i, j, k))]} << i;
    return bits;
  };
  for (int k = low[2]; k < low[2] + n; ++k)
    for (int j = low[1]; j < low[1] + n; ++j) {
      const unsigned r[4] = {row(j, k), row(j + 1, k), row(j, k + 1), row(j + 1, k + 1)};
      const unsigned some = r[0] | r[1] | r[2] | r[3], all = r[0] & r[1] & r[2] & r[3];
      const unsigned cut = (some | some >> 1) & ~(all & all >> 1);
      for (int i = low[0]; i < low[0] + n; ++i) {
        if (!(cut >> i & 1)) continue;
        int known[8];
        for (int c = 0; c < 8; ++c) {
          known[c] = place(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
        }
        Both d[8];
        for (int c = 0; c < 8; ++c) d[c] = value_[at_index(known[c])];
        // 20 bits of each place in the grid, four for the polygon.
        const auto bits = [](int p) { return static_cast<std::int64_t>(p) & 0xfffff; };
        const std::int64_t id =
            (bits(first[0] + i) << 40 | bits(first[1] + j) << 20 | bits(first[2] + k)) << 3;
        cut_cell(corner(first, {{i, j, k}}), cell_, d, known, id, sampled_ ? kFiner : 0);
      }
    }
}

// How far the sum of distances on an edge of a cell may be below the lesser of its ends: what has
// slopes between two values is off a chord of length h by no more than a quarter of their
// difference times h.
void PressureSurface::take_bends() {
  // Of distances along any line; of samples along their axes 1 too, but not across.
  constexpr double kAny = 0.25 * (2 + 2 * kSteepest);
  for (int axis = 0; axis < 3; ++axis) {
    double most = kAny;
    if (about_.known) {
      most = on_samples_ && !choosing_ ? 0 : 0.5 * about_.bend_own[axis];
      for (int k = 0; k < 3; ++k) most += 0.5 * vabs(turn_(k, axis)) * about_.bend_other[k];
    }
    bend_[axis] = vmin(most, kAny) * cell_;
  }
}

// The distances at a corner of a block, once.
void PressureSurface::ask_corner(const Vec3i& first, int i, int j, int k) {
  const std::size_t at = at_index(place(i, j, k));
  if (value_known_[at] == block_) return;
  value_known_[at] = block_;
  value_[at] = both(corner(first, {{i, j, k}}));
  below_[at] = g(value_[at]) < 0;
}

void PressureSurface::ask_corners(const Vec3i& first) {
  constexpr int kAll = kSide * kSide * kSide;
  double own[kAll], other[kAll];
  const Vec3d x = corner(first, {{0, 0, 0}});
  Vec3d step[3], turned[3];
  for (int axis = 0; axis < 3; ++axis) {
    step[axis] = Vec3d::zero(), step[axis][axis] = cell_;
    turned[axis] = turn_ * step[axis];
  }
  other_->phi_on_lattice(turn_ * x + shift_, turned, kSide, other);
  if (on_samples_)
    own_->sampled()->corners({first[0], first[1], first[2]}, kSide, own);
  else
    own_->phi_on_lattice(x, step, kSide, own);
  for (int at = 0; at < kAll; ++at) {
    value_[at] = {own[at], other[at]};
    below_[at] = g(value_[at]) < 0;
  }
  asked_ += kAll;
}

}  // namespace haptos
