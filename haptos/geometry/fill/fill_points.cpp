#include "haptos/geometry/fill/fill_points.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "haptos/base/math/index.h"
#include "haptos/base/math/random.h"
#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"
#include "haptos/geometry/field/distance_field.h"
#include "haptos/geometry/shape/shape_moments.h"

namespace haptos {
namespace {

constexpr double kPacking = 0.55;  // points per r^3 that come of tries about each point
constexpr double kInside = 0.5;    // spacings that points stay inside the surface
constexpr int kMoves = 6;          // of a point to its depth
constexpr double kOff = 0.02;      // of that, as a part
constexpr int kTries = 30;         // about each point
constexpr int kResolution = 96;    // of the distance field of a mesh

// Random numbers in [0, 1), three at a time.
class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}
  Vec3d next() {
    const auto r = philox({count_++, 0, 0, 0x66696c6c}, seed_);
    return {{r[0] * 0x1p-32, r[1] * 0x1p-32, r[2] * 0x1p-32}};
  }

 private:
  std::uint64_t seed_;
  std::uint32_t count_ = 0;
};

// Points none of which is within r of another, found by their cells.
class Disks {
 public:
  Disks(const Aabb& box, double r) : low_(box.lo), r_(r), cell_(r / std::sqrt(3.0)) {
    for (int c = 0; c < 3; ++c)
      count_[c] = static_cast<std::int64_t>((box.hi[c] - box.lo[c]) / cell_) + 1;
  }
  std::vector<Vec3d> points;

  bool add(const Vec3d& x) {
    std::int64_t at[3];
    for (int c = 0; c < 3; ++c) {
      at[c] = static_cast<std::int64_t>((x[c] - low_[c]) / cell_);
      if (x[c] < low_[c] || at[c] >= count_[c]) return false;
    }
    for (std::int64_t i = at[0] - 2; i <= at[0] + 2; ++i)
      for (std::int64_t j = at[1] - 2; j <= at[1] + 2; ++j)
        for (std::int64_t k = at[2] - 2; k <= at[2] + 2; ++k) {
          const auto found = taken_.find(number(i, j, k));
          if (found == taken_.end()) continue;
          if (squared_norm(points[at_index(found->second)] - x) < r_ * r_) return false;
        }
    taken_.emplace(number(at[0], at[1], at[2]), static_cast<int>(points.size()));
    points.push_back(x);
    return true;
  }

 private:
  std::int64_t number(std::int64_t i, std::int64_t j, std::int64_t k) const {
    if (i < 0 || j < 0 || k < 0 || i >= count_[0] || j >= count_[1] || k >= count_[2]) return -1;
    return (i * count_[1] + j) * count_[2] + k;
  }
  Vec3d low_;
  double r_, cell_;
  std::int64_t count_[3];
  std::unordered_map<std::int64_t, int> taken_;
};

// x moved to depth `deep` in the field; false: it does not get there.
bool sink(const DistanceField& field, double deep, Vec3d& x) {
  for (int k = 0; k < kMoves; ++k) {
    const SignedDistance<double> at = field.at(x);
    const double slope = squared_norm(at.gradient);
    if (!(slope > 0.25)) return false;
    x -= ((at.phi + deep) / slope) * at.gradient;
  }
  return vabs(field.phi(x) + deep) < kOff * deep;
}

// Fills on from what there is: tries about each point, which `place` may move or refuse.
template <class Place>
void spread(double r, std::size_t& next, Random& random, Disks& disks, const Place& place) {
  for (; next < disks.points.size(); ++next)
    for (int t = 0; t < kTries; ++t) {
      // In the shell from r to 2 r about the point.
      Vec3d way;
      double length = 0;
      do {
        way = 4 * random.next() - Vec3d{{2, 2, 2}};
        length = squared_norm(way);
      } while (length < 1 || length > 4);
      Vec3d x = disks.points[next] + r * way;
      if (place(x)) disks.add(x);
    }
}

std::vector<Vec3d> poisson(const DistanceField& field, double density, std::uint64_t seed) {
  const double r = std::cbrt(kPacking / density), deep = kInside / std::cbrt(density);
  const Aabb& box = field.box();
  Disks disks(box, r);
  Random random(seed);
  const auto on_layer = [&](Vec3d& x) { return sink(field, deep, x); };
  const auto inside = [&](const Vec3d& x) { return field.phi(x) <= -deep; };
  // From starts all over the box, so that parts that hang apart are filled too.
  const Vec3d size = box.hi - box.lo;
  int starts[3];
  for (int c = 0; c < 3; ++c) starts[c] = std::max(1, static_cast<int>(size[c] / (2 * r)));
  const auto each_start = [&](const auto& f) {
    for (int i = 0; i < starts[0]; ++i)
      for (int j = 0; j < starts[1]; ++j)
        for (int k = 0; k < starts[2]; ++k) {
          const Vec3d u = random.next();
          f(box.lo + Vec3d{{(i + u[0]) / starts[0] * size[0], (j + u[1]) / starts[1] * size[1],
                            (k + u[2]) / starts[2] * size[2]}});
        }
  };
  std::size_t next = 0;
  each_start([&](Vec3d x) {
    if (on_layer(x) && disks.add(x)) spread(r, next, random, disks, on_layer);
  });
  next = 0;
  each_start([&](const Vec3d& x) {
    if (inside(x)) disks.add(x);
    spread(r, next, random, disks, inside);
  });
  return std::move(disks.points);
}

std::vector<Vec3d> lattice(const DistanceField& field, double density) {
  const Aabb& box = field.box();
  const double spacing = 1 / std::cbrt(density);
  int count[3];
  for (int c = 0; c < 3; ++c)
    count[c] = std::max(1, static_cast<int>(std::floor((box.hi[c] - box.lo[c]) / spacing + 0.5)));
  std::vector<Vec3d> points;
  for (int i = 0; i < count[0]; ++i)
    for (int j = 0; j < count[1]; ++j)
      for (int k = 0; k < count[2]; ++k) {
        const int at[3] = {i, j, k};
        Vec3d x;
        for (int c = 0; c < 3; ++c)
          x[c] = box.lo[c] + (at[c] + 0.5) / count[c] * (box.hi[c] - box.lo[c]);
        if (field.phi(x) < 0) points.push_back(x);
      }
  return points;
}

}  // namespace

Filling fill_points(const Shape& shape, double density, Fill fill, std::uint64_t seed,
                    const std::string& element) {
  const bool endless = shape.kind == ShapeKind::kHalfSpace || shape.kind == ShapeKind::kHeightField;
  const auto moments = endless ? std::nullopt : shape_moments(shape, 1);
  if (!moments || !(moments->mass > 0))
    refuse(element, "", "has no volume that points could fill",
           "give a closed surface or a shape with an inside");
  Filling filling;
  filling.volume = moments->mass;
  const double wanted = filling.volume * density;
  if (!(wanted <= kMostPoints))
    refuse(element, to_text(wanted) + " points", "must have at most " + to_text(kMostPoints),
           "take larger cells, or fewer points in each");
  const DistanceField field(shape, kResolution, element);
  filling.points = fill == Fill::kLattice ? lattice(field, density) : poisson(field, density, seed);
  if (filling.points.empty())
    refuse(element, "", "is too small for a single point", "take smaller cells");
  return filling;
}

}  // namespace haptos
