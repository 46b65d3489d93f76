// Spatial vectors: motions, forces and inertias of bodies in six dimensions, templated on the
// scalar.
//
// All are in world axes, about a reference point: a motion holds the angular velocity and the
// velocity of the body-fixed point that is at the reference point; a force holds the moment about
// it and the force. Quantities about the same point add without a transform; shift() moves them to
// another. Inertias of small bodies keep their digits only about a point near them.
//
//   I v = (I_O w + m c x v_O,  m v_O + w x m c),    d/dt of a vector fixed in a body = v x (.)
//
// Source: Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 2.
#pragma once

#include "haptos/base/math/math.h"

namespace haptos {

/// c + a x b.
template <class T>
HAPTOS_HD Vec3<T> add_cross(const Vec3<T>& c, const Vec3<T>& a, const Vec3<T>& b) {
  return {{fma(a[1], b[2], fma(-a[2], b[1], c[0])), fma(a[2], b[0], fma(-a[0], b[2], c[1])),
           fma(a[0], b[1], fma(-a[1], b[0], c[2]))}};
}

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
template <class T>
HAPTOS_HD Mat3<T> full(const Sym3<T>& s) {
  return {{s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz}};
}
/// R S R^T.
template <class T>
HAPTOS_HD Sym3<T> rotated(const Mat3<T>& r, const Sym3<T>& s) {
  const Mat3<T> rs = r * full(s);
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
  Vec3<T> linear;   ///< of the body-fixed point at the reference point [m/s]

  static HAPTOS_HD SpatialMotion zero() { return {Vec3<T>::zero(), Vec3<T>::zero()}; }
  HAPTOS_HD SpatialMotion& operator+=(const SpatialMotion& b) {
    angular += b.angular;
    linear += b.linear;
    return *this;
  }
};

template <class T>
struct SpatialForce {
  Vec3<T> moment;  ///< about the reference point [N m]
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
HAPTOS_HD SpatialForce<T> operator-(const SpatialForce<T>& a, const SpatialForce<T>& b) {
  return {a.moment - b.moment, a.force - b.force};
}
template <class T>
HAPTOS_HD SpatialForce<T> operator*(T s, const SpatialForce<T>& a) {
  return {s * a.moment, s * a.force};
}
/// a + s b.
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
  return {cross(v.angular, m.angular), add_cross(cross(v.angular, m.linear), v.linear, m.angular)};
}
/// Rate of change of a force f that is fixed in a body moving with v.
template <class T>
HAPTOS_HD SpatialForce<T> cross(const SpatialMotion<T>& v, const SpatialForce<T>& f) {
  return {add_cross(cross(v.angular, f.moment), v.linear, f.force), cross(v.angular, f.force)};
}

/// A motion or a force about the point that lies r from its reference point.
template <class T>
HAPTOS_HD SpatialMotion<T> shift(const SpatialMotion<T>& m, const Vec3<T>& r) {
  return {m.angular, add_cross(m.linear, m.angular, r)};
}
template <class T>
HAPTOS_HD SpatialForce<T> shift(const SpatialForce<T>& f, const Vec3<T>& r) {
  return {add_cross(f.moment, f.force, r), f.force};
}

/// Inertia of a rigid body, or of several that move as one.
template <class T>
struct SpatialInertia {
  T mass;               ///< [kg]
  Vec3<T> first;        ///< mass times centre of mass from the reference point [kg m]
  Sym3<T> about_point;  ///< rotational inertia about it [kg m2]

  static HAPTOS_HD SpatialInertia zero() { return {T(0), Vec3<T>::zero(), Sym3<T>::zero()}; }
  HAPTOS_HD SpatialInertia& operator+=(const SpatialInertia& b) {
    mass += b.mass;
    first += b.first;
    about_point += b.about_point;
    return *this;
  }
};

/// Inertia of a body with centre of mass c [m] from the reference point and inertia `about_centre`,
/// world axes.
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
  return {add_cross(i.about_point * v.angular, i.first, v.linear),
          add_cross(i.mass * v.linear, v.angular, i.first)};
}

/// The same inertia about the point that lies r from its reference point:
/// I + (m r.r - 2 f.r) 1 + f r^T + r f^T - m r r^T with f the first moment.
template <class T>
HAPTOS_HD SpatialInertia<T> shift(const SpatialInertia<T>& i, const Vec3<T>& r) {
  const Vec3<T> g = i.mass * r - i.first, f = i.first;
  Sym3<T> s = i.about_point;
  s += Sym3<T>::diagonal(dot(r, g) - dot(r, f));
  subtract_outer(s, g, r);  // the last two of the four terms: -(m r - f) r^T
  s.xx = fma(r[0], f[0], s.xx);
  s.xy = fma(r[0], f[1], s.xy);
  s.xz = fma(r[0], f[2], s.xz);
  s.yy = fma(r[1], f[1], s.yy);
  s.yz = fma(r[1], f[2], s.yz);
  s.zz = fma(r[2], f[2], s.zz);
  return {i.mass, f - i.mass * r, s};
}
/// Momentum of a unit velocity along (`slide`) or about the axis a.
template <class T>
HAPTOS_HD SpatialForce<T> along(const SpatialInertia<T>& i, const Vec3<T>& a, bool slide) {
  if (slide) return {cross(i.first, a), i.mass * a};
  return {i.about_point * a, cross(a, i.first)};
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
  return {i.about_point, skew(i.first), Sym3<T>::diagonal(i.mass)};
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
/// Force of a unit acceleration along (`slide`) or about the axis a.
template <class T>
HAPTOS_HD SpatialForce<T> along(const ArticulatedInertia<T>& i, const Vec3<T>& a, bool slide) {
  if (slide) return {i.coupling * a, i.linear * a};
  const Mat3<T>& h = i.coupling;
  SpatialForce<T> f{i.angular * a, Vec3<T>::zero()};
  HAPTOS_UNROLL
  for (int j = 0; j < 3; ++j) f.force[j] = fma(h(2, j), a[2], fma(h(1, j), a[1], h(0, j) * a[0]));
  return f;
}
/// The same inertia about the point that lies r from its reference point:
/// H' = H - [r]x L,  A' = A + H [r]x + (H' [r]x)^T.
template <class T>
HAPTOS_HD ArticulatedInertia<T> shift(const ArticulatedInertia<T>& i, const Vec3<T>& r) {
  ArticulatedInertia<T> s = i;
  const Mat3<T>& h = i.coupling;
  const Sym3<T>& l = i.linear;
  const Vec3<T> columns[] = {{{l.xx, l.xy, l.xz}}, {{l.xy, l.yy, l.yz}}, {{l.xz, l.yz, l.zz}}};
  HAPTOS_UNROLL
  for (int j = 0; j < 3; ++j) {
    const Vec3<T> c = add_cross(column(h, j), columns[j], r);
    HAPTOS_UNROLL
    for (int k = 0; k < 3; ++k) s.coupling(k, j) = c[k];
  }
  // Entry (k, c) of H [r]x is entry c of the vector (row k of H) x r.
  const auto entry = [&r](const Mat3<T>& m, int k, int c, T sum) {
    const int d = (c + 1) % 3, e = (c + 2) % 3;
    return fma(m(k, d), r[e], fma(-m(k, e), r[d], sum));
  };
  const auto both = [&](int k, int c, T sum) {
    return entry(s.coupling, c, k, entry(h, k, c, sum));
  };
  s.angular = {both(0, 0, i.angular.xx), both(0, 1, i.angular.xy), both(0, 2, i.angular.xz),
               both(1, 1, i.angular.yy), both(1, 2, i.angular.yz), both(2, 2, i.angular.zz)};
  return s;
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
