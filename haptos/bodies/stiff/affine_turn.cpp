#include "haptos/bodies/stiff/affine_turn.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/quaternion.h"
#include "haptos/bodies/stiff/rigid_body.h"

namespace haptos {
namespace {

Mat3d symmetric(const Mat3d& m) { return 0.5 * (m + transpose(m)); }

// v with [v]x the skew part of m.
Vec3d axial(const Mat3d& m) {
  return {{0.5 * (m(2, 1) - m(1, 2)), 0.5 * (m(0, 2) - m(2, 0)), 0.5 * (m(1, 0) - m(0, 1))}};
}

Vec3d rotation_vector(const Mat3d& r) {
  const Quat q = quaternion(r);
  return rotation_log(Quaternion<double>{{q.w, q.x, q.y, q.z}});
}

}  // namespace

bool nearest_rotation(const Mat3d& m, Mat3d& r) {
  r = m;
  bool near = true;
  for (int i = 0; i < 30; ++i) {
    const double det = dot(column(r, 0), cross(column(r, 1), column(r, 2)));
    near = near && det > 0.1 && det < 10;
    const Mat3d next = 0.5 * (r + transpose(inverse(r)));
    const Mat3d change = next - r;
    double largest = 0;
    for (int k = 0; k < 9; ++k) largest = std::max(largest, std::abs(change[k]));
    r = next;
    if (largest < 1e-15) break;
  }
  return near;
}

// sum S_ij c_i x d_j is the axial vector of D S A^T, doubled.
Vec3d moment_of(const Mat3d& axes, const Mat3d& rate, const Mat3d& second) {
  return axial(rate * second * transpose(axes)) * 2.0;
}

Mat3d inertia_of(const Mat3d& axes, const Mat3d& second) {
  const Mat3d spread = axes * second * transpose(axes);
  return symmetric(Mat3d::identity() * trace(spread) - spread);
}

bool split_turn(const Mat3d& axes, const Mat3d& rate, const Mat3d& second, AffineTurn& t) {
  if (!nearest_rotation(axes, t.rotation)) return false;
  const Mat3d back = transpose(t.rotation);
  t.stretch = symmetric(back * axes);
  // R^T dA/dt = [w]x U + dU/dt in body axes; the skew part is [(tr(U) - U) w]x / 2.
  const Mat3d in_body = back * rate;
  const Mat3d lever = Mat3d::identity() * trace(t.stretch) - t.stretch;
  const Vec3d spin = inverse(lever) * axial(in_body) * 2.0;
  t.stretch_rate = symmetric(in_body - skew(spin) * t.stretch);
  t.spin = t.rotation * spin;
  t.momentum = moment_of(axes, rate, second);
  return true;
}

Mat3d free_axes(const AffineTurn& now, const Mat3d& second, const TurnStep& step, Mat3d& turned) {
  const Mat3d inertia = inertia_of(now.stretch, second), inverse_inertia = inverse(inertia);
  const Quat q = quaternion(now.rotation);
  const Vec3d turning =
      now.rotation * (inertia * (transpose(now.rotation) * now.spin));  // L without stretching
  const auto free = [&](double h) {
    return free_rotation(q, inertia, inverse_inertia, turning, h).omega * h;
  };
  Vec3d phi = free(step.h);
  if (step.before) {
    const Mat3d last = now.rotation * transpose(step.before->rotation);
    const Vec3d gained = now.momentum - step.before->momentum;
    phi += rotation_vector(last * to_matrix(rotation_by(free(-step.h)))) * step.w;
    phi +=
        now.rotation * (inverse_inertia * (transpose(now.rotation) * gained)) * (step.b * step.w);
  }
  const Mat3d stretch = past_of(step, now, &AffineTurn::stretch) +
                        past_of(step, now, &AffineTurn::stretch_rate) * step.b;
  turned = to_matrix(rotation_by(phi));
  return turned * now.rotation * stretch;
}

bool end_rate(const Mat3d& axes, const Vec3d& momentum, const Mat3d& stretch_base, double b,
              const Mat3d& second, Mat3d& rate) {
  Mat3d r;
  if (!nearest_rotation(axes, r)) return false;
  const Mat3d stretching = r * ((symmetric(transpose(r) * axes) - stretch_base) * (1 / b));
  const Vec3d rest = momentum - moment_of(axes, stretching, second);
  const Vec3d spin = inverse(inertia_of(axes, second)) * rest;
  rate = skew(spin) * axes + stretching;
  return true;
}

}  // namespace haptos
