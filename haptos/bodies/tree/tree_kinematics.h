// Where the bodies of a tree are and how they move, templated on the scalar T: double, a Pack with
// an environment in each lane, or a dual number. Nothing branches on data, nothing allocates once
// the TreeData exists.
//
//   forward_kinematics(tree, q, data)      poses and joint axes
//   update(tree, q, data)                  the same, and inertias: before tree_dynamics.h
//   update_velocities(tree, v, data)       spatial velocities and velocity products
//   integrate, difference                  motions in coordinates, quaternions by the exponential
//
// Spatial quantities of a body are in world axes about the origin p_i of its frame, where it is at
// these coordinates (a fixed point, not one that moves with the body): the linear part of a
// velocity is that of the origin, that of an acceleration the classical one minus w x v. Source:
// Featherstone, Rigid Body Dynamics Algorithms, 2008, sections 4.4, 5.3.
#pragma once

#include <vector>

#include "haptos/base/math/quaternion.h"
#include "haptos/bodies/tree/tree.h"

namespace haptos {

/// A rigid pose X_WB: p_W = r p_B + p.
template <class T>
struct Frame {
  Mat3<T> r;
  Vec3<T> p;
};
template <class T>
Vec3<T> operator*(const Frame<T>& x, const Vec3<T>& local) {
  return x.r * local + x.p;
}

template <class T, int R, int C>
HAPTOS_HD Mat<T, R, C> broadcast(const Mat<double, R, C>& m) {
  Mat<T, R, C> r;
  for (int i = 0; i < R * C; ++i) r.a[i] = T(m.a[i]);
  return r;
}
template <class T>
HAPTOS_HD Sym3<T> broadcast(const Sym3<double>& s) {
  return {T(s.xx), T(s.xy), T(s.xz), T(s.yy), T(s.yz), T(s.zz)};
}

/// Mass properties of a body; may differ from lane to lane.
template <class T>
struct BodyMass {
  T mass;
  Vec3<T> centre;   ///< in the body's frame
  Sym3<T> inertia;  ///< about the centre of mass, body axes
};

/// Everything that the algorithms compute, for one tree at one state; allocated once.
template <class T>
struct TreeData {
  explicit TreeData(const Tree& tree);

  // Parameters, copied from the tree; may be changed.
  std::vector<BodyMass<T>> body_mass;
  std::vector<T> armature;  ///< per unknown

  // By forward_kinematics.
  std::vector<Frame<T>> pose;  ///< per body
  std::vector<Vec3<T>> lever;  ///< from the parent's origin, or the world's, to the body's
  std::vector<Vec3<T>> axis;   ///< per unknown: that it turns about or slides along, world
  // By update_inertias.
  std::vector<SpatialInertia<T>> inertia;
  // By update_velocities (rnea and aba call it).
  std::vector<SpatialMotion<T>> velocity;
  std::vector<SpatialMotion<T>> drift;  ///< acceleration against the parent without that of v
  // By update_accelerations, rnea and aba; the latter two leave accelerations minus gravity.
  std::vector<SpatialMotion<T>> acceleration;
  // By rnea: the force that each body gets through its joint.
  std::vector<SpatialForce<T>> force;
  // By composite_inertias: a body with all that it carries.
  std::vector<SpatialInertia<T>> composite;
  // By aba.
  std::vector<ArticulatedInertia<T>> articulated;
  std::vector<SpatialForce<T>> reach;         ///< per unknown: articulated inertia along it
  std::vector<T> inverse_inertia, remainder;  ///< per unknown
};

template <class T>
TreeData<T>::TreeData(const Tree& tree) {
  const std::size_t n = tree.bodies.size(), nv = static_cast<std::size_t>(tree.v_count);
  for (const TreeBody& b : tree.bodies)
    body_mass.push_back({T(b.mass), broadcast<T>(b.centre), broadcast<T>(b.inertia)});
  for (double a : tree.armature) armature.push_back(T(a));
  pose.resize(n);
  lever.resize(n);
  axis.resize(nv);
  inertia.resize(n);
  velocity.resize(n);
  drift.resize(n);
  acceleration.resize(n);
  force.resize(n);
  composite.resize(n);
  articulated.resize(n);
  reach.resize(nv);
  inverse_inertia.resize(nv);
  remainder.resize(nv);
}

/// Gives a body the tree's mass and inertia times `scale`.
template <class T>
void scale_mass(const Tree& tree, int body, double scale, TreeData<T>& data) {
  const TreeBody& b = tree.bodies[static_cast<std::size_t>(body)];
  BodyMass<T>& m = data.body_mass[static_cast<std::size_t>(body)];
  const Sym3<double>& i = b.inertia;
  m.mass = T(scale * b.mass);
  m.inertia = broadcast<T>(Sym3<double>{scale * i.xx, scale * i.xy, scale * i.xz, scale * i.yy,
                                        scale * i.yz, scale * i.zz});
}

/// Poses of the bodies and axes of the joints at coordinates q (q_count). Quaternions need not
/// have length one.
template <class T>
void forward_kinematics(const Tree& tree, const T* q, TreeData<T>& data) {
  const Frame<T> world{Mat3<T>::identity(), Vec3<T>::zero()};
  for (std::size_t at = 0; at < tree.bodies.size(); ++at) {
    const TreeBody& b = tree.bodies[at];
    const Frame<T>& parent = b.parent < 0 ? world : data.pose[static_cast<std::size_t>(b.parent)];
    Frame<T>& x = data.pose[at];
    const T* q_of = q + b.first_q;
    // A free joint slides along the three axes that it turns about.
    Vec3<T>* axis = data.axis.data() + b.first_v;
    Vec3<T> frame[3];
    const int axes = b.v_count < 3 ? b.v_count : 3;
    for (int k = 0; k < axes; ++k)
      frame[k] = parent.r * broadcast<T>(haptos::column(b.directions, k));
    for (int k = 0; k < b.v_count; ++k) axis[k] = frame[k % 3];

    data.lever[at] = parent.r * broadcast<T>(b.position);
    for (int k = 0; k < slide_count(b.kind); ++k) data.lever[at] += q_of[k] * frame[k];
    x.p = parent.p + data.lever[at];

    Mat3<T> r = broadcast<T>(b.steady);
    if (b.kind == JointKind::kRevolute || b.kind == JointKind::kPlanar) {
      T s, c;
      sin_cos(q_of[slide_count(b.kind)], s, c);
      for (int k = 0; k < 9; ++k) r.a[k] = fma(c, T(b.cosine.a[k]), fma(s, T(b.sine.a[k]), r.a[k]));
    } else if (b.kind == JointKind::kBall || b.kind == JointKind::kFree) {
      const T* w = q_of + slide_count(b.kind);
      r = r * rotation_matrix(Quaternion<T>{{w[0], w[1], w[2], w[3]}});
    }
    x.r = parent.r * r;
  }
}

/// Spatial inertias of the bodies, after forward_kinematics.
template <class T>
void update_inertias(const Tree& tree, TreeData<T>& data) {
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const BodyMass<T>& m = data.body_mass[i];
    const Mat3<T>& r = data.pose[i].r;
    data.inertia[i] = spatial_inertia(m.mass, r * m.centre, rotated(r, m.inertia));
  }
}

/// Poses, axes and inertias at coordinates q (q_count): what tree_dynamics.h starts from.
template <class T>
void update(const Tree& tree, const T* q, TreeData<T>& data) {
  forward_kinematics(tree, q, data);
  update_inertias(tree, data);
}

/// m + the motion of a body's joint at rates v of its unknowns.
template <class T>
SpatialMotion<T> add_joint(const Tree& tree, const TreeData<T>& data, const TreeBody& b, const T* v,
                           SpatialMotion<T> m) {
  for (int k = b.first_v; k < b.first_v + b.v_count; ++k) {
    const auto j = static_cast<std::size_t>(k);
    Vec3<T>& part = tree.slides[j] ? m.linear : m.angular;
    for (int c = 0; c < 3; ++c) part[c] = fma(v[k], data.axis[j][c], part[c]);
  }
  return m;
}

/// Spatial velocities of the bodies at joint velocities v (v_count), and velocity products.
template <class T>
void update_velocities(const Tree& tree, const T* v, TreeData<T>& data) {
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const TreeBody& b = tree.bodies[i];
    const SpatialMotion<T> joint = add_joint(tree, data, b, v, SpatialMotion<T>::zero());
    if (b.parent < 0) {
      data.velocity[i] = joint;
      data.drift[i] = SpatialMotion<T>::zero();
    } else {
      const SpatialMotion<T> carrier =
          shift(data.velocity[static_cast<std::size_t>(b.parent)], data.lever[i]);
      data.velocity[i] = carrier + joint;
      data.drift[i] = cross(carrier, joint);
    }
    // The turns of these joints are about an origin that their own slides move.
    if (b.kind == JointKind::kFree || b.kind == JointKind::kPlanar)
      data.drift[i].linear += cross(joint.linear, joint.angular);
  }
}

/// Spatial velocities alone, into `out` (per body), with the poses and axes of `data`.
template <class T>
void find_velocities(const Tree& tree, const TreeData<T>& data, const T* v, SpatialMotion<T>* out) {
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const TreeBody& b = tree.bodies[i];
    const SpatialMotion<T> carrier =
        b.parent < 0 ? SpatialMotion<T>::zero() : shift(out[b.parent], data.lever[i]);
    out[i] = add_joint(tree, data, b, v, carrier);
  }
}

/// Spatial accelerations of the bodies, after update_velocities.
template <class T>
void update_accelerations(const Tree& tree, const T* a, TreeData<T>& data) {
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const TreeBody& b = tree.bodies[i];
    SpatialMotion<T> sum = data.drift[i];
    if (b.parent >= 0)
      sum += shift(data.acceleration[static_cast<std::size_t>(b.parent)], data.lever[i]);
    data.acceleration[i] = add_joint(tree, data, b, a, sum);
  }
}

/// Velocity of the point of a body that is at x [m/s].
template <class T>
Vec3<T> point_velocity(const TreeData<T>& data, int body, const Vec3<T>& x) {
  if (body < 0) return Vec3<T>::zero();
  const auto i = static_cast<std::size_t>(body);
  return shift(data.velocity[i], x - data.pose[i].p).linear;
}
/// Acceleration of the point of a body that is at x [m/s2], after update_accelerations; minus
/// gravity after rnea and aba, which must have been given velocities.
template <class T>
Vec3<T> point_acceleration(const TreeData<T>& data, int body, const Vec3<T>& x) {
  if (body < 0) return Vec3<T>::zero();
  const auto i = static_cast<std::size_t>(body);
  const Vec3<T> r = x - data.pose[i].p;
  return shift(data.acceleration[i], r).linear +
         cross(data.velocity[i].angular, shift(data.velocity[i], r).linear);
}

/// Pose of a link of the robot, world.
template <class T>
Frame<T> link_frame(const Tree& tree, const TreeData<T>& data, int link) {
  const TreeLink& l = tree.links[static_cast<std::size_t>(link)];
  const Frame<T> local{broadcast<T>(to_matrix(l.pose.q)), broadcast<T>(l.pose.p)};
  if (l.body < 0) return local;
  const Frame<T>& x = data.pose[static_cast<std::size_t>(l.body)];
  return {x.r * local.r, x * local.p};
}

/// Coordinates after the velocities v have lasted for h: out = q (+) h v. out may be q.
template <class T>
void integrate(const Tree& tree, const T* q, const T* v, T h, T* out) {
  for (const TreeBody& b : tree.bodies) {
    const T *from = q + b.first_q, *rate = v + b.first_v;
    T* to = out + b.first_q;
    const bool turns = b.kind == JointKind::kBall || b.kind == JointKind::kFree;
    const int plain = turns ? b.v_count - 3 : b.v_count;
    for (int k = 0; k < plain; ++k) to[k] = fma(h, rate[k], from[k]);
    if (!turns) continue;
    from += plain;
    rate += plain;
    const Quaternion<T> turned = normalized(
        quaternion_product(rotation_exp(Vec3<T>{{h * rate[0], h * rate[1], h * rate[2]}}),
                           Quaternion<T>{{from[0], from[1], from[2], from[3]}}));
    for (int k = 0; k < 4; ++k) to[plain + k] = turned[k];
  }
}

/// The velocities v that lead from q0 to q1 in unit time, turns by at most pi:
/// integrate(q0, v, 1) = q1.
template <class T>
void difference(const Tree& tree, const T* q0, const T* q1, T* v) {
  for (const TreeBody& b : tree.bodies) {
    const T *from = q0 + b.first_q, *to = q1 + b.first_q;
    T* out = v + b.first_v;
    const bool turns = b.kind == JointKind::kBall || b.kind == JointKind::kFree;
    const int plain = turns ? b.v_count - 3 : b.v_count;
    for (int k = 0; k < plain; ++k) out[k] = to[k] - from[k];
    if (!turns) continue;
    from += plain;
    to += plain;
    const Vec3<T> turn =
        rotation_log(quaternion_product(Quaternion<T>{{to[0], to[1], to[2], to[3]}},
                                        Quaternion<T>{{from[0], -from[1], -from[2], -from[3]}}));
    for (int k = 0; k < 3; ++k) out[plain + k] = turn[k];
  }
}

}  // namespace haptos
