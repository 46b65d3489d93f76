// Spatial vectors: motions, forces and inertias of rigid bodies in six dimensions. Host only.
//
// All quantities are in world axes about one common fixed point O, so adding those of different
// bodies needs no transform. A motion holds the angular velocity and the velocity of the
// body-fixed point that is at O; a force holds the moment about O and the force.
//
//   I v = (I_O w + m c x v_O,  m v_O + w x m c),    d/dt of a vector fixed in a body = v x (.)
//
// Source: Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 2. Limit: O should be within some
// metres of the bodies, since lever arms are measured from it.
#pragma once

#include "haptos/base/math.h"

namespace haptos {

struct SpatialMotion {
  Vec3d angular{{0, 0, 0}};  ///< [rad/s]
  Vec3d linear{{0, 0, 0}};   ///< of the body-fixed point at O [m/s]
};

struct SpatialForce {
  Vec3d moment{{0, 0, 0}};  ///< about O [N m]
  Vec3d force{{0, 0, 0}};   ///< [N]
};

inline SpatialMotion operator+(const SpatialMotion& a, const SpatialMotion& b) {
  return {a.angular + b.angular, a.linear + b.linear};
}
inline SpatialMotion operator*(double s, const SpatialMotion& a) {
  return {s * a.angular, s * a.linear};
}
inline SpatialForce operator+(const SpatialForce& a, const SpatialForce& b) {
  return {a.moment + b.moment, a.force + b.force};
}

/// Power of a force on a motion.
inline double dot(const SpatialMotion& m, const SpatialForce& f) {
  return dot(m.angular, f.moment) + dot(m.linear, f.force);
}
/// Rate of change of a motion m that is fixed in a body moving with v.
inline SpatialMotion cross(const SpatialMotion& v, const SpatialMotion& m) {
  return {cross(v.angular, m.angular), cross(v.angular, m.linear) + cross(v.linear, m.angular)};
}
/// Rate of change of a force f that is fixed in a body moving with v.
inline SpatialForce cross(const SpatialMotion& v, const SpatialForce& f) {
  return {cross(v.angular, f.moment) + cross(v.linear, f.force), cross(v.angular, f.force)};
}

struct SpatialInertia {
  double mass = 0;                     ///< [kg]
  Vec3d first{{0, 0, 0}};              ///< mass times centre of mass from O [kg m]
  Mat3d about_origin = Mat3d::zero();  ///< rotational inertia about O [kg m2]
};

/// Inertia about O of a body with centre of mass c [m] from O and inertia `about_centre`, world
/// axes.
inline SpatialInertia spatial_inertia(double mass, const Vec3d& c, const Mat3d& about_centre) {
  return {mass, mass * c,
          about_centre + mass * (squared_norm(c) * Mat3d::identity() - outer(c, c))};
}
inline SpatialInertia operator+(const SpatialInertia& a, const SpatialInertia& b) {
  return {a.mass + b.mass, a.first + b.first, a.about_origin + b.about_origin};
}
/// Momentum of a motion.
inline SpatialForce operator*(const SpatialInertia& i, const SpatialMotion& v) {
  return {i.about_origin * v.angular + cross(i.first, v.linear),
          i.mass * v.linear + cross(v.angular, i.first)};
}

}  // namespace haptos
