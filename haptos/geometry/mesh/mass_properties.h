// Mass, first and second moments of solids: what inertia is made of.
//
//   m = int rho dV,   m c = int rho x dV,   S = int rho x x^T dV
//
// exact for the polyhedron that a closed, outward surface encloses: the sum over its triangles of
// signed tetrahedra (0, a, b, c) of volume V = a . (b x c) / 6 with
//
//   int x dV = V/4 (a + b + c),   int x x^T dV = V/20 (s s^T + a a^T + b b^T + c c^T),  s = a+b+c.
//
// Source: Blow and Binstock, How to find the inertia tensor (or other mass properties) of a 3D
// solid body represented by a triangle mesh, 2004. The tensor of inertia about the same point is
// tr(S) 1 - S.
#pragma once

#include "haptos/geometry/mesh.h"

namespace haptos {

/// Mass and moments about a stated origin.
struct Moments {
  double mass = 0;               ///< [kg]
  Vec3d first = Vec3d::zero();   ///< mass times centre of mass [kg m]
  Mat3d second = Mat3d::zero();  ///< S, int rho x x^T dV [kg m2]

  Vec3d centre() const { return first * (1 / mass); }
  /// Tensor of inertia about the centre of mass [kg m2].
  Mat3d inertia() const;
  /// Adds a point mass at x.
  void add(double point_mass, const Vec3d& x);
  /// Of a body of `factor` times the density, and of two bodies together.
  Moments times(double factor) const { return {mass * factor, first * factor, second * factor}; }
  Moments plus(const Moments& o) const {
    return {mass + o.mass, first + o.first, second + o.second};
  }
};

/// Of the solid that a closed, outward surface encloses.
/// @param density  [kg/m3]
Moments solid_moments(const TriMesh& surface, double density);
/// From mass [kg], centre of mass [m] and the tensor of inertia about it [kg m2], in the axes of
/// the frame they are given in.
Moments moments_from(double mass, const Vec3d& centre, const Mat3d& inertia);

/// The eigenvalues of a symmetric matrix, ascending: the principal moments of an inertia.
Vec3d principal_moments(const Mat3d& inertia);

}  // namespace haptos
