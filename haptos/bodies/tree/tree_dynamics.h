// Forces and accelerations of a tree, templated on the scalar (tree_kinematics.h). All functions
// read what update(tree, q, data) left in `data`.
//
//   M(q) a + c(q, v) = tau + sum J^T wrench,   c with velocity products and gravity
//
//   rnea   tau from a     Newton-Euler outwards, forces inwards
//   crba   M              momenta of composite bodies under unit velocities
//   aba    a from tau     elimination of one unknown after the other from the leaves inwards;
//                         a joint of d unknowns is d joints in a row without mass between
//
// A wrench on a body is in world axes, its moment about the origin of the body's frame. Armature
// acts on the diagonal of M only. Gravity and wrenches have the scalar T, so may differ by lane.
// Source: Featherstone, Rigid Body Dynamics Algorithms, 2008, sections 5.3, 6.2, 7.3.
#pragma once

#include "haptos/bodies/tree/tree_kinematics.h"

namespace haptos {

/// A force [N] at the world point x and a moment [N m] as a wrench about the origin of `body`.
template <class T>
SpatialForce<T> wrench_at(const TreeData<T>& data, int body, const Vec3<T>& x, const Vec3<T>& force,
                          const Vec3<T>& moment) {
  return {moment + cross(x - data.pose[static_cast<std::size_t>(body)].p, force), force};
}

/// Part of a force on a body that acts on unknown k of its joint.
template <class T>
T joint_force(const Tree& tree, const TreeData<T>& data, std::size_t k, const SpatialForce<T>& f) {
  return dot(data.axis[k], tree.slides[k] ? f.force : f.moment);
}

/// Acceleration that a body has without that of its joint: its carrier's, and the velocity products
/// where there are velocities. A world that accelerates with -g feels like gravity.
template <class T>
SpatialMotion<T> carried_acceleration(const Tree& tree, const TreeData<T>& data, std::size_t i,
                                      bool moves, const Vec3<T>& gravity) {
  const int parent = tree.bodies[i].parent;
  const SpatialMotion<T> a =
      parent < 0 ? SpatialMotion<T>{Vec3<T>::zero(), -gravity}
                 : shift(data.acceleration[static_cast<std::size_t>(parent)], data.lever[i]);
  return moves ? a + data.drift[i] : a;
}

/// Adds to the force on each body those on all that it carries, inwards; joint forces to tau.
template <class T>
void gather_forces(const Tree& tree, TreeData<T>& data, T* tau) {
  for (std::size_t i = tree.bodies.size(); i-- > 0;) {
    const TreeBody& b = tree.bodies[i];
    for (int k = b.first_v; k < b.first_v + b.v_count; ++k)
      tau[k] = joint_force(tree, data, static_cast<std::size_t>(k), data.force[i]);
    if (b.parent >= 0)
      data.force[static_cast<std::size_t>(b.parent)] += shift(data.force[i], -data.lever[i]);
  }
}

/// Joint forces (v_count) that give accelerations a at velocities v; null for zero: v, a, wrench
/// (one per body).
template <class T>
void rnea(const Tree& tree, TreeData<T>& data, const T* v, const T* a, const Vec3<T>& gravity,
          const SpatialForce<T>* wrench, T* tau) {
  if (v) update_velocities(tree, v, data);
  const std::size_t n = tree.bodies.size();
  for (std::size_t i = 0; i < n; ++i) {
    SpatialMotion<T> sum = carried_acceleration(tree, data, i, v != nullptr, gravity);
    if (a) sum = add_joint(tree, data, tree.bodies[i], a, sum);
    data.acceleration[i] = sum;
    SpatialForce<T> f = data.inertia[i] * sum;
    if (v) f += cross(data.velocity[i], data.inertia[i] * data.velocity[i]);
    data.force[i] = wrench ? f - wrench[i] : f;
  }
  gather_forces(tree, data, tau);
  for (int k = 0; a && k < tree.v_count; ++k)
    tau[k] = fma(data.armature[static_cast<std::size_t>(k)], a[k], tau[k]);
}

/// Joint forces that hold the tree at rest against gravity.
template <class T>
void gravity_compensation(const Tree& tree, TreeData<T>& data, const Vec3<T>& gravity, T* tau) {
  rnea<T>(tree, data, nullptr, nullptr, gravity, nullptr, tau);
}

/// Inertia of each body with all that it carries.
template <class T>
void composite_inertias(const Tree& tree, TreeData<T>& data) {
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) data.composite[i] = data.inertia[i];
  for (std::size_t i = tree.bodies.size(); i-- > 0;)
    if (const int p = tree.bodies[i].parent; p >= 0)
      data.composite[static_cast<std::size_t>(p)] += shift(data.composite[i], -data.lever[i]);
}

/// Mass matrix, dense, row-major (v_count x v_count) [kg m2, kg m, kg].
template <class T>
void crba(const Tree& tree, TreeData<T>& data, T* m) {
  composite_inertias(tree, data);
  const int n = tree.v_count;
  for (int i = 0; i < n * n; ++i) m[i] = T(0);
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const auto body = static_cast<std::size_t>(tree.body_of[k]);
    const SpatialForce<T> f = along(data.composite[body], data.axis[k], tree.slides[k]);
    for (int j = i; j >= 0; j = tree.parent_of[static_cast<std::size_t>(j)]) {
      const auto l = static_cast<std::size_t>(j), to = static_cast<std::size_t>(tree.body_of[l]);
      m[i * n + j] = m[j * n + i] =
          joint_force(tree, data, l, shift(f, data.pose[to].p - data.pose[body].p));
    }
    m[i * n + i] += data.armature[k];
  }
}

/// Accelerations (v_count) under joint forces tau at velocities v; null for zero: v, tau, wrench
/// (one per body).
template <class T>
void aba(const Tree& tree, TreeData<T>& data, const T* v, const T* tau, const Vec3<T>& gravity,
         const SpatialForce<T>* wrench, T* a) {
  if (v) update_velocities(tree, v, data);
  const std::size_t n = tree.bodies.size();
  for (std::size_t i = 0; i < n; ++i) {
    data.articulated[i] = articulated(data.inertia[i]);
    const SpatialForce<T> f =
        v ? cross(data.velocity[i], data.inertia[i] * data.velocity[i]) : SpatialForce<T>::zero();
    data.force[i] = wrench ? f - wrench[i] : f;
  }
  // Inwards: the force on body i through its joint is articulated[i] * acceleration + force[i].
  for (std::size_t i = n; i-- > 0;) {
    const TreeBody& b = tree.bodies[i];
    ArticulatedInertia<T>& inertia = data.articulated[i];
    SpatialForce<T>& force = data.force[i];
    for (int k = b.first_v + b.v_count - 1; k >= b.first_v; --k) {
      const auto j = static_cast<std::size_t>(k);
      const SpatialForce<T> u = along(inertia, data.axis[j], tree.slides[j]);
      const T inverse = T(1) / (joint_force(tree, data, j, u) + data.armature[j]);
      const T left = (tau ? tau[k] : T(0)) - joint_force(tree, data, j, force);
      data.reach[j] = u;
      data.inverse_inertia[j] = inverse;
      data.remainder[j] = left;
      if (b.parent >= 0 || k > b.first_v) {
        subtract_outer(inertia, inverse, u);
        force = add_scaled(force, inverse * left, u);
      }
    }
    if (b.parent < 0) continue;
    const auto p = static_cast<std::size_t>(b.parent);
    data.articulated[p] += shift(inertia, -data.lever[i]);
    if (v) force += inertia * data.drift[i];
    data.force[p] += shift(force, -data.lever[i]);
  }
  // Outwards.
  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& b = tree.bodies[i];
    SpatialMotion<T> sum = carried_acceleration(tree, data, i, v != nullptr, gravity);
    for (int k = b.first_v; k < b.first_v + b.v_count; ++k) {
      const auto j = static_cast<std::size_t>(k);
      a[k] = data.inverse_inertia[j] * (data.remainder[j] - dot(sum, data.reach[j]));
      Vec3<T>& part = tree.slides[j] ? sum.linear : sum.angular;
      for (int c = 0; c < 3; ++c) part[c] = fma(a[k], data.axis[j][c], part[c]);
    }
    data.acceleration[i] = sum;
  }
}

/// 1/2 v^T M v, after update_velocities with the same v (for the part of the armature) [J].
template <class T>
T kinetic_energy(const Tree& tree, const TreeData<T>& data, const T* v) {
  T twice = T(0);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i)
    twice += dot(data.velocity[i], data.inertia[i] * data.velocity[i]);
  for (std::size_t k = 0; k < data.armature.size(); ++k)
    twice = fma(data.armature[k] * v[k], v[k], twice);
  return T(0.5) * twice;
}

/// Zero where every centre of mass is at the world's origin [J].
template <class T>
T potential_energy(const Tree& tree, const TreeData<T>& data, const Vec3<T>& gravity) {
  T e = T(0);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i)
    e -= dot(gravity, data.inertia[i].first + data.inertia[i].mass * data.pose[i].p);
  return e;
}

}  // namespace haptos
