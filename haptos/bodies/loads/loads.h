// Loads on a soft body: dead nodal forces and follower pressure, position terms.
//
// Nodal forces, f_v on vertex v [N], at the time of the end of the step:
//
//   Psi = -sum_v f_v . (x_v - x_v at the start of the run)
//
// Pressure p on surface triangles T = (a, b, c) as they are deformed, outward normal n: the
// traction -p n gives each corner the same force,
//
//   f = -p/6 N_T,    N_T = (b - a) x (c - a).
//
// On a closed surface these are the gradient of -p V with the enclosed volume V; on an open one
// they are not a gradient, because what is done on the way depends on the way: the tangent has an
// antisymmetric part, which lives on the rim alone. With the cone from an apex o to the surface and
// x' = x - o,
//
//   dN-forces: p/6 sum_T N_T(v) = d(p V_cone)/dx_v + sum over rim edges (u -> w) at v: p/6 u' x w'.
//
// The step needs a potential, so the rim's part is frozen at the start of the step, at the present
// p:
//
//   Psi = p V_cone(x) + sum_rim p/6 (u0' x w0') . (u + w - u0 - w0).
//
// Closed surfaces, and patches whose rim stands still, are exact. Else the forces at the ends of a
// rim edge lag by p/6 (u' x w' - u0' x w0'), of first order in the step as the integrator is, and
// are exact at rest; o is the mean of the rim at the start of the step, and then neither the total
// force nor a translation is affected. Hessian, e_a = c - b and so on around the triangle:
//
//   H_ij = p/12 [e_j - e_i]x  for corners i != j,     H_uw -= p/12 [u' + w']x  on the rim.
//
// Summed over a closed surface this is the derivative of the follower forces. When asked to
// project, every triangle and every rim edge adds its positive part. Sources: Bonet and Wood,
// Nonlinear Continuum Mechanics, 2nd ed., sec. 8.5 and 9.6 (symmetry for closed boundaries);
// Schweizerhof and Ramm, Displacement dependent pressure loads, 1984.
#pragma once

#include <memory>

#include "haptos/bodies/elastic/soft_model.h"
#include "haptos/system/term.h"

namespace haptos {

/// A load that can say what it does to each point.
class LoadTerm : public Term {
 public:
  TermKind kind() const override { return TermKind::kPosition; }
  /// Adds the forces of the last step at the present positions, (P) [N].
  virtual void add_forces(const Points& points, std::vector<Vec3d>& forces) const = 0;
};

/// @param point  point of each vertex of model.rest
std::unique_ptr<LoadTerm> make_force_term(const SoftModel& model,
                                          const std::vector<NodalForce>& forces,
                                          const std::vector<int>& point);

/// @param triangles  points, outward
std::unique_ptr<LoadTerm> make_pressure_term(std::vector<Vec3i> triangles,
                                             const History<double>& pressure);

}  // namespace haptos
