// Pressure and shear on the coat of a gel, from the contact forces on its nodes.
//
//   A = M + l^2 K,   t = A^-1 f + A^-1 (f - M A^-1 f)
//
//   M  consistent mass of the rest coat, int phi_a phi_b dA [m2];  f  contact forces on its nodes
//   [N] K  its Laplace-Beltrami stiffness, int grad phi_a . grad phi_b dA;  l  smoothing length [m]
//
// t is the traction per rest area, linear over each triangle; the border is free (Neumann). The
// columns of M add up to the vertices' areas and those of K to nothing, so int t dA = sum f for
// every l, and a pressure whose nodal forces are its share of the area comes back as it is. What
// is left over by the first solution is smoothed and added: a wave of number k passes by
// 1 - (l k)^4 / (1 + (l k)^2)^2 instead of 1 / (1 + (l k)^2), so a round contact keeps its radius
// and peak (the first moments and, for a constant l, the second ones are kept on a flat coat away
// from its border), and the noise of non-matching meshes is still damped. The price is a pressure
// slightly below zero around a contact. By default l^2 is the mean of twice the areas of
// the triangles about each place: l is the side of a right triangle of such an area.
//
// Reported is the traction per present area, t A_rest / A_now of each vertex. Its integral over the
// present coat, linear over each triangle, is again the sum of f. With n the vertex normal,
//
//   pressure p = -t . n (positive where something presses),   shear s = t + p n.
//
// Limits: forces on nodes off the coat are left out and reported. Beside a sharp border of contact
// the pressure undershoots by about 1 % of its peak at l of one element, by more below half of
// that. Sources: the L2 projection of nodal loads is textbook; the Helmholtz filter after Lazarov
// and Sigmund, IJNME 86 (2011); smoothing what is left over is Tukey's twicing.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "haptos/sensors/field/nodal_contact.h"
#include "haptos/sensors/tactile/coat.h"

namespace haptos {

/// Fields on the vertices of the coat (N); frame and origin are those of what was measured.
struct ContactField {
  std::vector<Vec3d> traction;   ///< by the object on the gel [Pa]
  std::vector<double> pressure;  ///< [Pa]
  std::vector<Vec3d> shear;      ///< tangential traction [Pa]
  std::vector<double> touched;   ///< part of the vertex's area that is in contact, 0 to 1
  std::vector<Vec3d> position;   ///< [m]
  CoatShape shape;               ///< of the present coat
  Vec3d off_coat{{0, 0, 0}};     ///< force on nodes that are not on the coat [N]
};

/// What touches the coat, as a whole.
struct ContactPatch {
  double area = 0;          ///< of the present coat that is in contact [m2]
  Vec3d force{{0, 0, 0}};   ///< on the gel, all of its nodes [N]
  Vec3d torque{{0, 0, 0}};  ///< about the origin [N m]
  Vec3d centre{{0, 0, 0}};  ///< of pressure: mean position by the force along -z; 0: no contact [m]
  std::vector<char> inside;  ///< 1 for the coat triangles that are at least half in contact
};

class ContactFieldSensor {
 public:
  /// @param rest  the gel's nodes at rest [m]; @param coat  triangles into them
  /// @param smoothing  l [m]; negative: the size of the elements of each place
  /// Throws InputError for a triangle or a length that cannot be used.
  ContactFieldSensor(std::span<const Vec3d> rest, std::span<const Vec3i> coat,
                     double smoothing = -1);

  /// @param nodes  all nodes of the gel now [m]
  /// @param contact  forces on them, in the same frame
  ContactField measure(std::span<const Vec3d> nodes, const NodalContact& contact) const;
  ContactPatch patch(std::span<const Vec3d> nodes, const NodalContact& contact) const;

  const Coat& coat() const { return coat_; }
  double smoothing() const { return smoothing_; }  ///< as given
  /// Mean length of the coat's edges at rest [m].
  double mean_edge() const { return mean_edge_; }
  const std::vector<double>& rest_areas() const { return rest_shape_.vertex_area; }

 private:
  struct Solver;
  std::vector<double> touched(const NodalContact& contact) const;

  Coat coat_;
  CoatShape rest_shape_;
  double smoothing_ = 0, mean_edge_ = 0;
  std::shared_ptr<const Solver> solver_;
};

/// int t dA over the coat [N], and its moment int x cross t dA about the origin [N m], of a
/// traction that is linear over each triangle.
Vec3d total_force(const Coat& coat, const ContactField& field);
Vec3d total_torque(const Coat& coat, const ContactField& field);

}  // namespace haptos
