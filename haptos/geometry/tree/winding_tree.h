// How often a triangle surface winds round points: 1 inside a closed surface whose triangles are
// counter-clockwise from outside, 0 outside, in between near the holes of an open one.
//
//   w(q) = 1 / (4 pi) sum over the triangles of the solid angle that each is seen under from q
//
// Near triangles count exactly. A node of the tree that is farther off than twice its radius r
// counts as its dipole and the next term, about the middle c of its area:
//
//   4 pi w = N . d / |d|^3 + sum_ij T_ij (delta_ij / |d|^3 - 3 d_i d_j / |d|^5),   d = c - q,
//
// with N the sum of the area vectors and T = sum (m - c) n^T over middles m and area vectors n.
// Off by a few hundredths, which is enough to tell inside from outside. Any number of threads may
// ask one tree.
//
// Source: Barill, Dickson, Schmidt, Levin, Jacobson 2018, Fast winding numbers for soups and clouds
// (ACM Transactions on Graphics 37:43), equations 11 to 13; the solid angle of a triangle is that
// of van Oosterom and Strackee 1983 (IEEE Transactions on Biomedical Engineering 30:125).
#pragma once

#include <vector>

#include "haptos/geometry/tree/surface_tree.h"

namespace haptos {

class WindingTree {
 public:
  /// `tree` must be that of the surface, and outlive this.
  WindingTree(const TriMesh& surface, const SurfaceTree& tree);

  double winding(const Vec3d& q) const;

 private:
  static constexpr int kWidth = WideTree::kWidth;
  struct Node {
    Vec3d middle{}, normal{};
    Mat3d second = Mat3d::zero();
    double radius = 0;
  };
  double triangles(const Vec3d& q, int group) const;

  std::vector<std::vector<Node>> level_;  // from groups of eight triangles up
  std::vector<Vec3d> corner_;             // three of each triangle, in the order of the tree
};

}  // namespace haptos
