// The nearest point of a triangle surface, for surfaces of millions of triangles.
//
//   d(p, S) = min over the triangles t of S of |p - closest point of t|
//
// Triangles stand in groups of eight beside a WideTree. A group is first looked at in single
// precision, all eight at once, about its own middle; those that rounding leaves a chance are then
// looked at in double precision. The answer is the one that double precision alone would give, and
// depends on the point and on the surface only. Any number of threads may ask one tree.
#pragma once

#include <limits>
#include <vector>

#include "haptos/geometry/mesh.h"
#include "haptos/geometry/tree/wide_tree.h"

namespace haptos {

class SurfaceTree {
 public:
  struct Nearest {
    int triangle = -1;  ///< -1 where nothing is within the limit
    Vec3d beta{};       ///< weights of its corners at the nearest point
    Vec3d point{};      ///< the nearest point [m]
    double squared_distance = std::numeric_limits<double>::infinity();
  };

  SurfaceTree() = default;
  /// Triangles of `surface` must name vertices that there are, with finite coordinates [m].
  explicit SurfaceTree(const TriMesh& surface);

  int size() const { return tree_.size(); }
  const WideTree& tree() const { return tree_; }

  /// The nearest point within `limit` [m]. Of triangles that are equally near one is named.
  Nearest nearest(const Vec3d& p, double limit = std::numeric_limits<double>::infinity()) const;

 private:
  static constexpr int kWidth = WideTree::kWidth;
  struct alignas(32) Group {
    float x[3][3][kWidth];  // corner, axis, triangle; from `middle`, in parts of `size`
    double size;            // no corner is farther from the middle [m]
    Vec3d middle;
  };
  WideTree tree_;
  std::vector<Group> groups_;
  std::vector<Vec3d> vertices_;
  std::vector<Vec3i> triangles_;  // in the order of the tree
};

}  // namespace haptos
