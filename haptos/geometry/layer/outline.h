// What of two planes faces each other: a region of a plane cut into convex pieces, of which the
// corners of its hull are kept, with weights that stand for the region.
#pragma once

#include <cstdint>
#include <vector>

#include "haptos/base/math/math.h"

namespace haptos {

/// A corner of a convex polygon in a plane. `edge` names what the edge to the next corner comes
/// from: k of a's triangle, 4 + k of b's, kCutEdge.
struct OutlineCorner {
  double u, v;    ///< [m]
  double za, zb;  ///< heights of both surfaces [m]
  std::int64_t id_a, id_b;
  bool rim_a, rim_b;  ///< on a border of a's plane, of b's
  bool inner;         ///< on neither, and on no cut: no corner of the region
  int edge;
  double weight;  ///< [m2]
};
constexpr int kCutEdge = 8;

class Outline {
 public:
  void clear() { corners_.clear(), area_ = mu_ = mv_ = 0, pieces_ = 0; }
  /// A convex piece, counter-clockwise; pieces do not overlap.
  void add(const std::vector<OutlineCorner>& piece);
  /// Leaves the corners of the hull, in order, with weights whose sum is the region's area and
  /// whose first moment is the region's: by the angle that the hull turns there, times a linear
  /// function. They change continuously with the region.
  void finish();
  const std::vector<OutlineCorner>& corners() const { return corners_; }
  double area() const { return area_; }
  /// Middle of the area, and how far the corners given so far are from it [m].
  double middle_u() const { return mu_ / area_ + u0_; }
  double middle_v() const { return mv_ / area_ + v0_; }
  double radius() const;

 private:
  void take_hull();
  bool weigh();
  void weigh_by_fan();

  std::vector<OutlineCorner> corners_, kept_;
  std::vector<Vec2d> place_;
  std::vector<int> order_, hull_;
  double area_ = 0, mu_ = 0, mv_ = 0;  // of the region, first moments about the first corner
  double u0_ = 0, v0_ = 0;
  int pieces_ = 0;
};

}  // namespace haptos
