#include "haptos/geometry/pressure/pressure_surface.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/geometry/shape/shape_bounds.h"

namespace haptos {
namespace {

// The grid is first made finer until so many cells may hold the surface and so many do; where that
// many more hold none of it, the bodies do not overlap. Where a face ends in an edge more are
// needed, as those at the edge tell half of their area.
constexpr std::size_t kEnough = 40, kTooMany = 4000;
constexpr int kEnoughSeen = 20, kEnoughWithEdges = 60;
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
// The grid is that of the samples where it would be no coarser, and no finer, than so many times.
constexpr double kOwnGrid = 1.3, kOwnGridFiner = 1.1;
// Slope of a trilinear function of distances.
constexpr double kSteepest = 1.73206;

double one_norm(const Vec3d& v) { return vabs(v[0]) + vabs(v[1]) + vabs(v[2]); }

}  // namespace

struct PressureSurface::ChoiceSink {
  static constexpr bool kChoosing = true;
  PressureSurface& s;
  void cell() { ++s.cut_cells_; }
  void polygon(double area, double rim, const Corner* part, int n) {
    s.area_ += area, s.rim_ += rim, ++s.seen_;
    for (int i = 0; i < n; ++i)
      s.cut_box_.merge(part[i].x), s.deepest_ = std::max(s.deepest_, -part[i].sum);
  }
};

struct PressureSurface::PatchSink {
  static constexpr bool kChoosing = false;
  const PressureSurface& s;
  Part& to;
  void cell() { ++to.cut_cells; }
  void patch(const PressurePatch& p) { to.patches.push_back(p); }
  void pressed(double force, double cosine) { to.presses += force, to.opposes += force * cosine; }
  bool keeps_triangles() const { return s.keep_triangles; }
  void triangle(const Corner& a, const Corner& b, const Corner& c) {
    Triangle t;
    const Corner* corner[3] = {&a, &b, &c};
    for (int k = 0; k < 3; ++k) {
      t.x[k] = s.p_.world + s.p_.to_world * corner[k]->x;
      t.pressure[k] = -s.p_.k * corner[k]->sum;
    }
    to.triangles.push_back(t);
  }
};

// Chooses the body whose frame the grid is in: that with the finer samples, else the smaller one.
bool PressureSurface::take(const Side& a, const Side& b) {
  const auto finer = [](const Side& s, const Side& o) {
    if (!s.field->bounded() || !o.field->bounded()) return s.field->bounded();
    const double hs = s.field->cell(), ho = o.field->cell();
    if (hs > 0 && ho > 0) return hs <= ho;
    if (hs > 0 || ho > 0) return hs > 0;
    return norm(s.field->box().extent()) <= norm(o.field->box().extent());
  };
  p_.own_is_a = finer(a, b);
  const Side &own = p_.own_is_a ? a : b, &other = p_.own_is_a ? b : a;
  own_ = own.field, other_ = other.field;
  p_.own = own_->view(), p_.other = other_->view();
  p_.world = own.pose.p, p_.to_world = to_matrix(own.pose.q);
  const Mat3d other_from_world = transpose(to_matrix(other.pose.q));
  p_.turn = other_from_world * p_.to_world;
  p_.shift = other_from_world * (own.pose.p - other.pose.p);
  p_.k_own = own.modulus, p_.k_other = other.modulus;
  if (std::isinf(p_.k_own)) {
    p_.share_own = 1, p_.share_other = 0, p_.k = p_.k_other;
  } else if (std::isinf(p_.k_other)) {
    p_.share_own = 0, p_.share_other = 1, p_.k = p_.k_own;
  } else {
    p_.share_own = p_.k_own / (p_.k_own + p_.k_other), p_.share_other = 1 - p_.share_own;
    p_.k = p_.share_own * p_.k_other;
  }
  p_.by_table = own.table || other.table;
  p_.bent = p_.by_table && p_.share_own > 0 && p_.share_other > 0;
  if (p_.by_table) {
    law_own_ = own.table ? *own.table : PressureLaw(own.modulus);
    law_other_ = other.table ? *other.table : PressureLaw(other.modulus);
    p_.law_own = law_own_.view(), p_.law_other = law_other_.view();
  }
  p_.convex = own_->convex() && other_->convex();
  const auto sampled = [](const DistanceField& f) { return f.cell() > 0 || !f.bounded(); };
  p_.sampled = sampled(*own_) && sampled(*other_);
  region_ = own_->box();
  if (other_->bounded()) {
    const Vec3d back = -(transpose(p_.turn) * p_.shift);
    const Aabb& box = other_->box();
    const Vec3d middle = transpose(p_.turn) * box.centre() + back, half = box.extent() * 0.5;
    for (int k = 0; k < 3; ++k) {
      double reach = 0;
      for (int j = 0; j < 3; ++j) reach += vabs(p_.turn(j, k)) * half[j];
      region_.lo[k] = std::max(region_.lo[k], middle[k] - reach - way_);
      region_.hi[k] = std::min(region_.hi[k], middle[k] + reach + way_);
    }
  }
  if (region_.is_empty()) return false;
  // S is the surface of what is rigid, which may lie right in a side of the region.
  if (p_.share_own == 0 || p_.share_other == 0) region_.inflate(kBeyond * norm(region_.extent()));
  return true;
}

// Whether a cube about a place may hold a point of the surface, also where other has moved by way_.
bool PressureSurface::may_hold(const Vec3d& middle, double half) {
  const double radius = 2 * kHalf * half;
  const Vec3d there = p_.in_other(middle);
  const double phi_own = own_->phi(middle);
  const double own = own_->change(middle, phi_own, radius);
  about_.known = false;
  if (phi_own > own) return false;
  const double phi_other = other_->phi(there);
  const double other = other_->change(there, phi_other, radius + way_);
  if (phi_other > other) return false;
  const double gap = p_.g({phi_own, phi_other}), sum = phi_own + phi_other;
  if (vabs(gap) > p_.share_own * own + p_.share_other * other) return false;
  about_.middle = {phi_own, phi_other};
  about_.least = sum - own - other;
  SlopeBound slope_own, slope_other;
  if (own_->slopes(middle, radius, slope_own) &&
      other_->slopes(there, radius + way_, slope_other)) {
    const double spread_own = slope_own.spread, spread_other = slope_other.spread;
    about_.bend_own = slope_own.along, about_.bend_other = slope_other.along;
    const Vec3d across = transpose(p_.turn) * slope_other.middle;
    const double moved = way_ > 0 ? (norm(slope_other.middle) + spread_other) * way_ : 0;
    about_.known = true;
    about_.gap = gap, about_.sum = sum;
    about_.gap_slope = p_.share_own * slope_own.middle - p_.share_other * across;
    about_.sum_slope = slope_own.middle + across;
    about_.gap_off = (p_.share_own * spread_own + p_.share_other * spread_other) * radius +
                     p_.share_other * moved;
    // Between tables g bends with the depths: its bound above holds, its slopes do not.
    if (p_.bent) about_.gap_off = Aabb::kInf;
    about_.sum_off = (spread_own + spread_other) * radius + moved;
    about_.least = std::max(about_.least, about_.least_sum(half));
    return about_.may_hold(Vec3d::zero(), half);
  }
  if (!p_.convex) return true;
  // The sum is convex: no less than its tangents say, there and where g is about zero.
  const auto no_less = [&](const Vec3d& at, double sum_at, const Vec3d& slope) {
    const double low = sum_at + dot(slope, middle - at) - half * one_norm(slope) * (1 + 1e-9);
    about_.least = std::max(about_.least, low - 1e-12 * radius - way_);
    return about_.least;
  };
  const Vec3d out = own_->at(middle).gradient,
              across = transpose(p_.turn) * other_->at(there).gradient;
  if (no_less(middle, sum, out + across) > 0) return false;
  const Vec3d slope = p_.share_own * out - p_.share_other * across;
  const double size = squared_norm(slope);
  if (!(size > kNoSlope * square(p_.share_own + p_.share_other))) return true;
  const Vec3d at = middle - slope * (gap / size);
  const SignedDistance<double> a = own_->at(at), b = other_->at(p_.in_other(at));
  return no_less(at, a.phi + b.phi, a.gradient + transpose(p_.turn) * b.gradient) <= 0;
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
  patches_.clear(), triangles_.clear(), leaves_.clear();
  cut_cells_ = 0, deepest_ = presses_ = opposes_ = 0;
  way_ = way;
  grid_.cases = &cell_polygons(0);
  return take(a, b);
}

void PressureSurface::find(const Side& a, const Side& b) {
  if (!begin(a, b, 0)) return;
  Aabb where;
  const bool found = choose_cell(where);
  cut_cells_ = 0;
  if (!found) return;
  if (p_.by_table) {
    law_both_ = PressureLaw::of_both(law_own_, law_other_);
    p_.law_both = law_both_.view();
  }
  grid_.deepest = deepest_;
  find_leaves(where);
  cut_leaves();
}

// Makes the grid finer until it shows the surface, and says where that is and how fine the last
// grid is. False: there is no surface.
bool PressureSurface::choose_cell(Aabb& where) {
  const Vec3d size = region_.extent();
  const double longest = std::max({size[0], size[1], size[2]});
  if (!(longest > 0)) return false;
  area_ = rim_ = 0, cut_box_ = Aabb(), seen_ = 0;
  grid_.cell = longest / 2;
  grid_.origin = region_.lo;
  cells_.clear();
  int n[3];
  for (int k = 0; k < 3; ++k) n[k] = std::max(1, static_cast<int>(std::ceil(size[k] / grid_.cell)));
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) cells_.push_back({{i, j, k}});
  const auto corner = [&](const Cell& c) {
    return grid_.origin + grid_.cell * Vec3d{{double(c.at[0]), double(c.at[1]), double(c.at[2])}};
  };
  for (int level = 0; level < kLevels; ++level) {
    next_.clear();
    int deep = 0;
    std::erase_if(cells_, [&](const Cell& c) {
      const double half = 0.5 * grid_.cell;
      if (!may_hold(corner(c) + half * Vec3d{{1, 1, 1}}, half)) return true;
      deep += about_.middle.own + about_.middle.other < 0;
      for (int k = 0; k < 8; ++k)
        if (!about_.known || about_.may_hold(middle_of_part(k, 0.5 * half), 0.5 * half))
          next_.push_back(
              {{2 * c.at[0] + (k & 1), 2 * c.at[1] + (k >> 1 & 1), 2 * c.at[2] + (k >> 2)}});
      return false;
    });
    if (cells_.empty()) return false;
    const bool finest = own_->cell() > 0 && grid_.cell < kBelowSamples * own_->cell();
    const bool many = cells_.size() > kTooMany;
    if (finest || many || (cells_.size() >= kEnough && (deep >= kEnoughDeep || p_.convex))) {
      area_ = deepest_ = rim_ = 0, cut_box_ = Aabb(), seen_ = 0;
      about_.known = false;
      ChoiceSink sink{*this};
      LeafCutter<ChoiceSink> cutter(p_, grid_, sink);
      for (const Cell& c : cells_) cutter.cut_alone(corner(c), grid_.cell, bends());
      if (seen_ >= (p_.sampled ? kEnoughSeen : kEnoughWithEdges) || many) break;
    }
    if (finest) break;
    cells_.swap(next_);
    grid_.cell *= 0.5;
  }
  if (!(area_ > 0)) return false;
  where = Aabb();
  for (const Cell& c : cells_) {
    const Vec3d low = corner(c);
    where.merge(low), where.merge(low + grid_.cell * Vec3d{{1, 1, 1}});
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
  grid_.origin = Vec3d::zero();
  grid_.on_samples = sampled > 0 && kOwnGridFiner * cell >= sampled && cell < kOwnGrid * sampled;
  if (grid_.on_samples) cell = sampled;
  // The corners of the grid are those of the samples, or of a grid that holds some of them.
  if (sampled > 0) grid_.origin = own_->sampled()->origin();
  grid_.cell = cell;
  return true;
}

// Leaves that may hold the surface, of blocks of cells from large ones on.
void PressureSurface::find_leaves(const Aabb& where) {
  constexpr int kLeaf = PressureLeaf::kCells;
  int first[3], last[3], longest = 0;
  for (int k = 0; k < 3; ++k) {
    const double at = grid_.origin[k], cell = grid_.cell;
    first[k] = static_cast<int>(std::floor((where.lo[k] - at) / cell - 1e-9));
    last[k] = static_cast<int>(std::ceil((where.hi[k] - at) / cell + 1e-9));
    if (grid_.on_samples) first[k] &= ~(kLeaf - 1);  // a block of samples holds whole leaves
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
    const Vec3d middle =
        grid_.origin + grid_.cell * Vec3d{{b.at[0] + half, b.at[1] + half, b.at[2] + half}};
    if (!may_hold(middle, half * grid_.cell)) continue;
    if (b.size == kLeaf) {
      add_leaf({{b.at[0], b.at[1], b.at[2]}});
      continue;
    }
    const int s = b.size / 2;
    for (int k = 7; k >= 0; --k)
      stack.push_back(
          {{b.at[0] + s * (k & 1), b.at[1] + s * (k >> 1 & 1), b.at[2] + s * (k >> 2)}, s});
  }
}

// A leaf where may_hold() looked last. Of formulas each half along all axes is looked at by itself:
// their bounds get much better there.
void PressureSurface::add_leaf(const Vec3i& first) {
  constexpr int kCells = PressureLeaf::kCells, kHalf = kCells / 2;
  PressureLeaf leaf{first, 0, Vec3d::zero()};
  if (p_.sampled) {
    leaf.bend = bends();
    leaf.cells = cells_that_may(kCells, {{0, 0, 0}});
  } else {
    for (int part = 0; part < 8; ++part) {
      const Vec3i low{{kHalf * (part & 1), kHalf * (part >> 1 & 1), kHalf * (part >> 2)}};
      Vec3d middle = grid_.origin;
      for (int k = 0; k < 3; ++k) middle[k] += grid_.cell * (first[k] + low[k] + 0.5 * kHalf);
      if (!may_hold(middle, 0.5 * kHalf * grid_.cell)) continue;
      leaf.cells |= cells_that_may(kHalf, low);
      const Vec3d bend = bends();
      for (int k = 0; k < 3; ++k) leaf.bend[k] = std::max(leaf.bend[k], bend[k]);
    }
  }
  if (leaf.cells) leaves_.push_back(leaf);
}

// Bits of a leaf's cells that may hold the surface, of n x n x n from `low` on: those where
// may_hold() looked last.
std::uint64_t PressureSurface::cells_that_may(int n, const Vec3i& low) const {
  constexpr int kCells = PressureLeaf::kCells;
  std::uint64_t cells = 0;
  const double half = 0.5 * grid_.cell, middle = 0.5 * (n - 1);
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const Vec3d off = grid_.cell * Vec3d{{i - middle, j - middle, k - middle}};
        const int bit = kCells * (kCells * (low[2] + k) + low[1] + j) + low[0] + i;
        if (!about_.known || about_.may_hold(off, half)) cells |= std::uint64_t{1} << bit;
      }
  return cells;
}

// In parts of the leaves, which do not depend on the number of threads.
void PressureSurface::cut_leaves() {
  constexpr std::size_t kOfPart = 16;
  constexpr std::ptrdiff_t kWorth = 4;  // parts
  const std::size_t count = (leaves_.size() + kOfPart - 1) / kOfPart;
  if (parts_.size() < count) parts_.resize(count);
  for_each(
      static_cast<std::ptrdiff_t>(count),
      [&](std::ptrdiff_t n) {
        Part& part = parts_[at_index(n)];
        part.patches.clear(), part.triangles.clear();
        part.presses = part.opposes = 0, part.cut_cells = 0;
        PatchSink sink{*this, part};
        LeafCutter<PatchSink> cutter(p_, grid_, sink);
        const std::size_t first = at_index(n) * kOfPart;
        for (std::size_t i = first; i < std::min(first + kOfPart, leaves_.size()); ++i)
          cutter.cut(leaves_[i]);
      },
      kWorth);
  for (std::size_t n = 0; n < count; ++n) {
    const Part& part = parts_[n];
    patches_.insert(patches_.end(), part.patches.begin(), part.patches.end());
    triangles_.insert(triangles_.end(), part.triangles.begin(), part.triangles.end());
    presses_ += part.presses, opposes_ += part.opposes, cut_cells_ += part.cut_cells;
  }
}

// How far the sum of distances on an edge of a cell may be below the lesser of its ends, along each
// axis, where may_hold() looked last: what has slopes between two values is off a chord of length h
// by no more than a quarter of their difference times h.
Vec3d PressureSurface::bends() const {
  // Of distances along any line; of samples along their axes 1 too, but not across.
  constexpr double kAny = 0.25 * (2 + 2 * kSteepest);
  Vec3d bend;
  for (int axis = 0; axis < 3; ++axis) {
    double most = kAny;
    if (about_.known) {
      most = grid_.on_samples ? 0 : 0.5 * about_.bend_own[axis];
      for (int k = 0; k < 3; ++k) most += 0.5 * vabs(p_.turn(k, axis)) * about_.bend_other[k];
    }
    bend[axis] = std::min(most, kAny) * grid_.cell;
  }
  return bend;
}

}  // namespace haptos
