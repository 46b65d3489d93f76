// Spatial vectors: motions, forces and inertias of bodies in six dimensions, templated on the
// scalar.
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

/// A symmetric 3 x 3 matrix.
template <class T>
struct Sym3 {
  T xx, xy, xz, yy, yz, zz;

  static HAPTOS_HD Sym3 zero() { return {T(0), T(0), T(0), T(0), T(0), T(0)}; }
  static HAPTOS_HD Sym3 diagonal(T d) { return {d, T(0), T(0), d, T(0), d}; }
  HAPTOS_HD Sym3& operator+=(const Sym3& b) {
    xx += b.xx;
    xy += b.xy;
    xz += b.xz;
    yy += b.yy;
    yz += b.yz;
    zz += b.zz;
    return *this;
  }
};
template <class T>
HAPTOS_HD Vec3<T> operator*(const Sym3<T>& s, const Vec3<T>& v) {
  return {{fma(s.xz, v[2], fma(s.xy, v[1], s.xx * v[0])),
           fma(s.yz, v[2], fma(s.yy, v[1], s.xy * v[0])),
           fma(s.zz, v[2], fma(s.yz, v[1], s.xz * v[0]))}};
}
/// R S R^T.
template <class T>
HAPTOS_HD Sym3<T> rotated(const Mat3<T>& r, const Sym3<T>& s) {
  const Mat3<T> full{{s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz}};
  const Mat3<T> rs = r * full;
  const auto entry = [&](int i, int j) {
    return fma(rs(i, 2), r(j, 2), fma(rs(i, 1), r(j, 1), rs(i, 0) * r(j, 0)));
  };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}
/// S - a b^T, where a b^T is symmetric.
template <class T>
HAPTOS_HD void subtract_outer(Sym3<T>& s, const Vec3<T>& a, const Vec3<T>& b) {
  s.xx = fma(-a[0], b[0], s.xx);
  s.xy = fma(-a[0], b[1], s.xy);
  s.xz = fma(-a[0], b[2], s.xz);
  s.yy = fma(-a[1], b[1], s.yy);
  s.yz = fma(-a[1], b[2], s.yz);
  s.zz = fma(-a[2], b[2], s.zz);
}

template <class T>
struct SpatialMotion {
  Vec3<T> angular;  ///< [rad/s]
  Vec3<T> linear;   ///< of the body-fixed point at O [m/s]

  static HAPTOS_HD SpatialMotion zero() { return {Vec3<T>::zero(), Vec3<T>::zero()}; }
  HAPTOS_HD SpatialMotion& operator+=(const SpatialMotion& b) {
    angular += b.angular;
    linear += b.linear;
    return *this;
  }
};

template <class T>
struct SpatialForce {
  Vec3<T> moment;  ///< about O [N m]
  Vec3<T> force;   ///< [N]

  static HAPTOS_HD SpatialForce zero() { return {Vec3<T>::zero(), Vec3<T>::zero()}; }
  HAPTOS_HD SpatialForce& operator+=(const SpatialForce& b) {
    moment += b.moment;
    force += b.force;
    return *this;
  }
};

template <class T>
HAPTOS_HD SpatialMotion<T> operator+(SpatialMotion<T> a, const SpatialMotion<T>& b) {
  return a += b;
}
template <class T>
HAPTOS_HD SpatialMotion<T> operator*(T s, const SpatialMotion<T>& a) {
  return {s * a.angular, s * a.linear};
}
template <class T>
HAPTOS_HD SpatialForce<T> operator+(SpatialForce<T> a, const SpatialForce<T>& b) {
  return a += b;
}
template <class T>
HAPTOS_HD SpatialForce<T> operator-(const SpatialForce<T>& a, const SpatialForce<T>& b) {
  return {a.moment - b.moment, a.force - b.force};
}
template <class T>
HAPTOS_HD SpatialForce<T> operator*(T s, const SpatialForce<T>& a) {
  return {s * a.moment, s * a.force};
}
/// a + s b.
template <class T>
HAPTOS_HD SpatialMotion<T> add_scaled(const SpatialMotion<T>& a, T s, const SpatialMotion<T>& b) {
  SpatialMotion<T> r;
  for (int i = 0; i < 3; ++i) {
    r.angular[i] = fma(s, b.angular[i], a.angular[i]);
    r.linear[i] = fma(s, b.linear[i], a.linear[i]);
  }
  return r;
}
template <class T>
HAPTOS_HD SpatialForce<T> add_scaled(const SpatialForce<T>& a, T s, const SpatialForce<T>& b) {
  SpatialForce<T> r;
  for (int i = 0; i < 3; ++i) {
    r.moment[i] = fma(s, b.moment[i], a.moment[i]);
    r.force[i] = fma(s, b.force[i], a.force[i]);
  }
  return r;
}

/// Power of a force on a motion.
template <class T>
HAPTOS_HD T dot(const SpatialMotion<T>& m, const SpatialForce<T>& f) {
  return dot(m.angular, f.moment) + dot(m.linear, f.force);
}
/// Rate of change of a motion m that is fixed in a body moving with v.
template <class T>
HAPTOS_HD SpatialMotion<T> cross(const SpatialMotion<T>& v, const SpatialMotion<T>& m) {
  return {cross(v.angular, m.angular), cross(v.angular, m.linear) + cross(v.linear, m.angular)};
}
/// Rate of change of a force f that is fixed in a body moving with v.
template <class T>
HAPTOS_HD SpatialForce<T> cross(const SpatialMotion<T>& v, const SpatialForce<T>& f) {
  return {cross(v.angular, f.moment) + cross(v.linear, f.force), cross(v.angular, f.force)};
}

/// Inertia of a rigid body, or of several that move as one.
template <class T>
struct SpatialInertia {
  T mass;                ///< [kg]
  Vec3<T> first;         ///< mass times centre of mass from O [kg m]
  Sym3<T> about_origin;  ///< rotational inertia about O [kg m2]

  static HAPTOS_HD SpatialInertia zero() { return {T(0), Vec3<T>::zero(), Sym3<T>::zero()}; }
  HAPTOS_HD SpatialInertia& operator+=(const SpatialInertia& b) {
    mass += b.mass;
    first += b.first;
    about_origin += b.about_origin;
    return *this;
  }
};

/// Inertia about O of a body with centre of mass c [m] from O and inertia `about_centre`, world
/// axes.
template <class T>
HAPTOS_HD SpatialInertia<T> spatial_inertia(T mass, const Vec3<T>& c, Sym3<T> about_centre) {
  const Vec3<T> mc = mass * c;
  about_centre += Sym3<T>::diagonal(dot(mc, c));
  subtract_outer(about_centre, mc, c);
  return {mass, mc, about_centre};
}
/// Momentum of a motion.
template <class T>
HAPTOS_HD SpatialForce<T> operator*(const SpatialInertia<T>& i, const SpatialMotion<T>& v) {
  return {i.about_origin * v.angular + cross(i.first, v.linear),
          i.mass * v.linear + cross(v.angular, i.first)};
}

/// Inertia of a body with others hanging from it by joints: force per acceleration of that body,
/// a symmetric 6 x 6 matrix (moment, force) <- (angular, linear).
template <class T>
struct ArticulatedInertia {
  Sym3<T> angular;
  Mat3<T> coupling;
  Sym3<T> linear;

  HAPTOS_HD ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
    angular += b.angular;
    coupling += b.coupling;
    linear += b.linear;
    return *this;
  }
};
template <class T>
HAPTOS_HD ArticulatedInertia<T> articulated(const SpatialInertia<T>& i) {
  return {i.about_origin, skew(i.first), Sym3<T>::diagonal(i.mass)};
}
template <class T>
HAPTOS_HD SpatialForce<T> operator*(const ArticulatedInertia<T>& i, const SpatialMotion<T>& a) {
  SpatialForce<T> f{i.angular * a.angular, i.linear * a.linear};
  HAPTOS_UNROLL
  for (int j = 0; j < 3; ++j) {
    HAPTOS_UNROLL
    for (int k = 0; k < 3; ++k) {
      f.moment[j] = fma(i.coupling(j, k), a.linear[k], f.moment[j]);
      f.force[j] = fma(i.coupling(k, j), a.angular[k], f.force[j]);
    }
  }
  return f;
}
/// I - s u u^T.
template <class T>
HAPTOS_HD void subtract_outer(ArticulatedInertia<T>& i, T s, const SpatialForce<T>& u) {
  const SpatialForce<T> su = s * u;
  subtract_outer(i.angular, su.moment, u.moment);
  subtract_outer(i.linear, su.force, u.force);
  HAPTOS_UNROLL
  for (int j = 0; j < 3; ++j) {
    HAPTOS_UNROLL
    for (int k = 0; k < 3; ++k) i.coupling(j, k) = fma(-su.moment[j], u.force[k], i.coupling(j, k));
  }
}

}  // namespace haptos
