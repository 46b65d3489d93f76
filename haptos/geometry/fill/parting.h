// Where two bodies of points part: about a place, the plane between them, and how far the surface
// of the other body is.
//
// With c = 1 for points of one's own body and -1 for those of the other, the plane a . x + b = 0
// is that of a logistic regression over the points within a reach R,
//
//   minimise  sum w log(1 + exp(-c (a . x + b))) / sum w + lambda/2 |a|^2,   w = (1 - r^2/R^2)^2
//
// with x in spacings of the points. Points next to the plane decide. So the end of a face does not
// tilt it, as it tilts the gradient of mass, and random places hardly do.
//
// The surface is where that of a half-space would be whose mean depth below x, weighted by (1 -
// r^2/R^2)^3, is that of the other body's points. Each counts as the cube that it is the middle of,
// to second order in its side.
//
// Errors, of two cubes and of a cube on a slab, eight points in a cell h, R = 2 h: normals .2 to
// 1.2 degrees, at the end of a face on a slab up to 4.5; surfaces .04 h
// (tests/unit/test_parting.cpp).
//
// Limits: what is thinner than R seems nearer by a part of what is missing.
// Source: Nairn, Hammerquist, Smith 2020 (the regression).
#pragma once

#include <cstdint>
#include <vector>

#include "haptos/geometry/query/bvh.h"

namespace haptos {

/// Where another body parts from one's own, about a place x.
struct Parting {
  Vec3d n{{0, 0, 0}};   ///< out of the other one
  double distance = 0;  ///< of x from its surface, below 0 inside [m]
  double part = 0;      ///< of the volume of such a half-space within R, how much there is
};

class PartingPoints {
 public:
  /// Forgets all points. @param reach  R [m]
  void begin(double reach);
  /// @param side  0 or 1: of which of the two bodies
  /// @param spacing  cube root of the volume that it stands for [m]
  void add(int side, const Vec3d& x, double spacing, int id);
  /// The same of each of `count` points, by number, that may count where the other body's are,
  /// which `other` holds: what a point sees is as far from it as itself may be from them.
  /// @param place  of a point
  /// @return how many there are
  template <class Place>
  int add_near(int side, const Aabb& other, int count, double spacing, const Place& place) {
    const Aabb near = other.inflated(2 * reach_);
    int added = 0;
    for (int i = 0; i < count; ++i) {
      const Vec3d x = place(i);
      if (!near.contains(x)) continue;
      add(side, x, spacing, i);
      ++added;
    }
    return added;
  }
  /// After the last one.
  void sort();
  /// Looks at the points within R of x, which is a place of the body `side`.
  void look(const Vec3d& x, int side);
  /// Where the other body parts from the place that was looked at; false: it is not within R, or
  /// all that is there are points of it.
  bool find(Parting& found) const;
  /// Of the other body's points there, the one that is nearest; -1: there is none.
  int nearest() const;

 private:
  struct Given {
    std::uint64_t bin;
    Vec3d x;
    double spacing;
    int id, side;
  };
  // A point about the place, which is the origin [R].
  struct Near {
    Vec3d x;
    double spacing, within;  // 1 - r^2
    int id;
    bool own;
  };
  std::uint64_t bin_of(const Vec3d& x, int dx, int dy, int dz) const;
  bool find_normal(Vec3d& n) const;

  double reach_ = 1;
  std::vector<Given> given_;
  std::vector<Near> near_;
};

}  // namespace haptos
