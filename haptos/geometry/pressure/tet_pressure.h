// The surface of equal pressure of a body of tetrahedra, as it has deformed, and a shape.
//
// A place of the body is as deep as it was at rest: with X the place at rest of what is at x now,
//
//   p_a(x) = -k_a phi_0(X),   p_b(x) = -k_b phi_b(x),   S = {x : p_a = p_b > 0}
//
// of phi_0 the signed distance to the surface at rest. So the pressure goes with the material: none
// at its surface however that has moved, and in tetrahedra that are pressed flat it rises faster.
// A rigid shape has S on its own surface.
//
// A tetrahedron in which S may be, as distances change no faster than places, is cut into eight up
// to kFiner times where distances are not linear in it. What is left is cut by
//
//   g = (k_a phi_0 - k_b phi_b) / (k_a + k_b) = 0,
//
// a plane, clipped to where both are inside, and the pressure integrated as a linear function.
//
// What is found in one of the body's tetrahedra is three patches of equal area A / 3. With the mean
// m and the covariance C = L L^T of the weights w of the four corners over the surface they are at
//
//   w_j = m + sqrt(2) L (cos, sin)(2 pi j / 3),
//
// which is exact for what is quadratic in w, as long as the surface is a plane there. So they give
// each corner its force and, as springs, move it as the surface would: one patch at the centre of
// pressure would leave corners free to move against each other.
//
// Surfaces behind the middle of the body, where pressure falls in the way of the push, do not push
// (pressure_surface.h).
#pragma once

#include <memory>
#include <vector>

#include "haptos/geometry/field/distance_field.h"
#include "haptos/geometry/mesh.h"
#include "haptos/geometry/pressure/pressure_law.h"
#include "haptos/geometry/pressure/pressure_pair.h"
#include "haptos/geometry/pressure/pressure_surface.h"

namespace haptos {

/// A body of tetrahedra at rest, and how deep its places are.
struct RestDepth {
  /// @param at_rest  [m]
  /// @param distance  to its surface, in the same frame
  RestDepth(TetMesh at_rest, std::shared_ptr<const DistanceField> distance);
  TetMesh mesh;
  std::shared_ptr<const DistanceField> field;
  std::vector<double> phi;  ///< of vertices [m]
};

/// A third of the surface in the tetrahedron `cell` / 3. The shape is b.
struct TetPatch : PressurePatch {
  double weight[4] = {0, 0, 0, 0};  ///< of the corners, whose sum `point` is
};

class TetPressure {
 public:
  /// @param x  where the vertices are now [m]
  void find(const RestDepth& body, const PressureLaw& law, const std::vector<Vec3d>& x,
            const PressureSurface::Side& shape);
  const std::vector<TetPatch>& patches() const { return patches_; }
  /// How deep both overlap [m]; 0: they do not.
  double depth() const { return deepest_; }

 private:
  static constexpr int kFiner = 5;
  struct Corner {
    Vec3d x, rest;
    double weight[4];
    double own, other, g;
  };
  /// Of S, with the sum of both distances.
  struct Place {
    double weight[4];
    Vec3d x;
    double sum;
  };
  /// What has been found in a tetrahedron of the body.
  struct Found {
    Vec3d push{{0, 0, 0}};           // force [N]
    double force = 0;                // its size if all of it went one way [N]
    double area = 0, stiffness = 0;  // [m2], [N/m]
    // Integrals of weights, of weights times pressure, and of products of two weights.
    double weight[4] = {0, 0, 0, 0}, pressed[4] = {0, 0, 0, 0};
    double product[4][4] = {};
  };
  void take(const RestDepth& body, const PressureLaw& law, const std::vector<Vec3d>& x,
            const PressureSurface::Side& shape);
  void search(const std::vector<Vec3d>& x, double of_depth);
  double g(double own, double other) const;
  bool may_hold(const Corner* const (&c)[4], double longest) const;
  Corner between(const Corner& a, const Corner& b) const;
  void look_in(const Corner* const (&c)[4], double longest, int level);
  void cut(const Corner* const (&c)[4]);
  void press(const Place* p, int count, const Vec3d& into, double slope_own, double slope_other);
  void finish(int tet, const std::vector<Vec3d>& x);

  const RestDepth* body_ = nullptr;
  const DistanceField* shape_ = nullptr;
  Pose pose_;
  PressureLaw law_own_, law_other_, both_;
  bool bent_ = false;  // neither is rigid, one a table
  double share_own_ = 0, share_other_ = 1;
  double linear_ = 0;  // what distances may be off a linear function [m]
  double deepest_ = 0;
  std::vector<double> other_;    // of vertices; where none of their tetrahedra reaches it, less
  std::vector<double> longest_;  // edge of each tetrahedron [m]
  Found found_;
  std::vector<TetPatch> patches_;
};

}  // namespace haptos
