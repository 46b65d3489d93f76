// How points, frames, the centre of mass and the momentum of a tree move with its unknowns,
// templated on the scalar (tree_kinematics.h). Matrices are row-major with v_count columns.
//
//   J_x,k = axis_k x (x - p_k), or axis_k of a slide                of the unknowns that move x
//   h = sum I_i v_i,   d h / d v_k = composite_k along axis_k       moved to the centre of mass
//
// Source: Orin and Goswami, Centroidal momentum matrix of a humanoid robot, 2008.
#pragma once

#include "haptos/bodies/tree/tree_dynamics.h"

namespace haptos {

/// The last unknown that moves a body, -1 where none does.
inline int last_unknown(const Tree& tree, int body) {
  if (body < 0) return -1;
  const TreeBody& b = tree.bodies[static_cast<std::size_t>(body)];
  return b.v_count > 0 ? b.first_v + b.v_count - 1 : b.parent_v;
}

/// Velocity, per unknown, of the point of `body` that is at x: 3 x v_count; after
/// forward_kinematics.
template <class T>
void point_jacobian(const Tree& tree, const TreeData<T>& data, int body, const Vec3<T>& x, T* out) {
  const int n = tree.v_count;
  for (int i = 0; i < 3 * n; ++i) out[i] = T(0);
  for (int k = last_unknown(tree, body); k >= 0; k = tree.parent_of[static_cast<std::size_t>(k)]) {
    const auto j = static_cast<std::size_t>(k);
    const Vec3<T>& a = data.axis[j];
    const Vec3<T> c =
        tree.slides[j] ? a : cross(a, x - data.pose[static_cast<std::size_t>(tree.body_of[j])].p);
    for (int r = 0; r < 3; ++r) out[r * n + k] = c[r];
  }
}

/// Motion, per unknown, of a frame of `body` with its origin at x, world axes: 6 x v_count, three
/// rows of angular velocity, then three of the origin's velocity.
template <class T>
void frame_jacobian(const Tree& tree, const TreeData<T>& data, int body, const Vec3<T>& x, T* out) {
  const int n = tree.v_count;
  for (int i = 0; i < 3 * n; ++i) out[i] = T(0);
  for (int k = last_unknown(tree, body); k >= 0; k = tree.parent_of[static_cast<std::size_t>(k)])
    for (int r = 0; r < 3 && !tree.slides[static_cast<std::size_t>(k)]; ++r)
      out[r * n + k] = data.axis[static_cast<std::size_t>(k)][r];
  point_jacobian(tree, data, body, x, out + 3 * n);
}

/// Mass of all bodies that move [kg], after update().
template <class T>
T total_mass(const Tree& tree, const TreeData<T>& data) {
  T m = T(0);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) m += data.inertia[i].mass;
  return m;
}

/// Centre of mass of all bodies that move, world [m]; after update().
template <class T>
Vec3<T> centre_of_mass(const Tree& tree, const TreeData<T>& data) {
  Vec3<T> first = Vec3<T>::zero();
  for (std::size_t i = 0; i < tree.bodies.size(); ++i)
    first += data.inertia[i].first + data.inertia[i].mass * data.pose[i].p;
  return (T(1) / total_mass(tree, data)) * first;
}

/// Velocity of the centre of mass per unknown: 3 x v_count; after update(). Fills composite.
template <class T>
void centre_of_mass_jacobian(const Tree& tree, TreeData<T>& data, T* out) {
  composite_inertias(tree, data);
  const T inverse = T(1) / total_mass(tree, data);
  const int n = tree.v_count;
  for (int k = 0; k < n; ++k) {
    const auto j = static_cast<std::size_t>(k);
    const auto body = static_cast<std::size_t>(tree.body_of[j]);
    const Vec3<T> p = along(data.composite[body], data.axis[j], tree.slides[j]).force;
    for (int r = 0; r < 3; ++r) out[r * n + k] = inverse * p[r];
  }
}

/// Momentum of all bodies: angular about the world point x, linear; after update_velocities.
template <class T>
SpatialForce<T> momentum_about(const Tree& tree, const TreeData<T>& data, const Vec3<T>& x) {
  SpatialForce<T> h = SpatialForce<T>::zero();
  for (std::size_t i = 0; i < tree.bodies.size(); ++i)
    h += shift(data.inertia[i] * data.velocity[i], x - data.pose[i].p);
  return h;
}

/// Centroidal momentum per unknown: 6 x v_count, three rows of angular momentum about the centre of
/// mass, then three of linear momentum; after update(). Fills composite.
template <class T>
void centroidal_map(const Tree& tree, TreeData<T>& data, T* out) {
  composite_inertias(tree, data);
  const Vec3<T> com = centre_of_mass(tree, data);
  const int n = tree.v_count;
  for (int k = 0; k < n; ++k) {
    const auto j = static_cast<std::size_t>(k);
    const auto body = static_cast<std::size_t>(tree.body_of[j]);
    const SpatialForce<T> h =
        shift(along(data.composite[body], data.axis[j], tree.slides[j]), com - data.pose[body].p);
    for (int r = 0; r < 3; ++r) {
      out[r * n + k] = h.moment[r];
      out[(3 + r) * n + k] = h.force[r];
    }
  }
}

}  // namespace haptos
