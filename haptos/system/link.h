// The stiff frame of a body, of whatever kind: where a point of it is at the start of the step, and
// how point and frame move with the body's unknowns. Frozen contact and constraints ask this and
// know no kind of body; LinkOf makes it of a body.
#pragma once

#include <memory>
#include <vector>

#include "haptos/base/math/rotation.h"

namespace haptos {

class Link {
 public:
  virtual ~Link() = default;
  virtual int body() const = 0;  ///< id in records
  virtual int env() const = 0;
  virtual int block() const = 0;         ///< of BlockPattern
  virtual int first_scalar() const = 0;  ///< of z
  virtual int columns() const = 0;       ///< unknowns of the block
  /// Pose of the link's frame, at the start of the step.
  virtual Pose pose() const = 0;
  /// Centre of mass, at the start of the step, world [m].
  virtual Vec3d centre() const = 0;
  /// Velocity of the link's point that is at x, at the start of the step [m/s].
  virtual Vec3d velocity(const Vec3d& x) const = 0;
  /// The same with the velocities z of all unknowns.
  virtual Vec3d velocity_with(const Vec3d& x, const std::vector<double>& z) const = 0;
  /// Acceleration of that point while no unknown changes: of its turning alone [m/s2].
  virtual Vec3d bias(const Vec3d& x) const = 0;
  /// What the path of that point, which bends, adds to its velocity per unknown in a step of h [s]
  /// with the velocities z of all unknowns: (x(h) - x) / h less that [m/s].
  virtual Vec3d bend(const Vec3d& x, const std::vector<double>& z, double h) const {
    const Vec3d after = pose_after(z, h) * to_local(pose(), x);
    return (after - x) * (1 / h) - velocity_with(x, z);
  }
  /// Row-major 3 x columns(): velocity, per unknown, of the link's point that is at x.
  virtual void jacobian(const Vec3d& x, double* out) const = 0;
  /// Row-major 3 x columns(): angular velocity of the link, per unknown.
  virtual void turning(double* out) const = 0;
  /// Pose of the link's frame after a step of h [s] with the velocities z of all unknowns.
  virtual Pose pose_after(const std::vector<double>& z, double h) const = 0;
};

/// Link `link` of a body that offers link_columns, link_pose, link_centre, point_velocity,
/// point_velocity_with, point_bias, link_jacobian, link_turning and link_pose_after
/// (Articulation; RigidBody and AffineFrame, whose only link is 0). The body must outlive it.
template <class B>
class LinkOf final : public Link {
 public:
  /// @param id  in records; below 0: the body's
  explicit LinkOf(const B* body, int link = 0, int id = -1)
      : body_(*body), link_(link), id_(id < 0 ? body->slots().body : id) {}
  int body() const override { return id_; }
  int env() const override { return body_.slots().env; }
  int block() const override { return body_.slots().first_block; }
  int first_scalar() const override { return body_.slots().first_scalar; }
  int columns() const override { return body_.link_columns(); }
  Pose pose() const override { return body_.link_pose(link_); }
  Vec3d centre() const override { return body_.link_centre(link_); }
  Vec3d velocity(const Vec3d& x) const override { return body_.point_velocity(link_, x); }
  Vec3d velocity_with(const Vec3d& x, const std::vector<double>& z) const override {
    return body_.point_velocity_with(link_, x, z.data() + first_scalar());
  }
  Vec3d bias(const Vec3d& x) const override { return body_.point_bias(link_, x); }
  Vec3d bend(const Vec3d& x, const std::vector<double>& z, double h) const override {
    if constexpr (requires { body_.point_bend(x); })
      return body_.point_bend(x);
    else
      return Link::bend(x, z, h);
  }
  void jacobian(const Vec3d& x, double* out) const override { body_.link_jacobian(link_, x, out); }
  void turning(double* out) const override { body_.link_turning(link_, out); }
  Pose pose_after(const std::vector<double>& z, double h) const override {
    return body_.link_pose_after(link_, z.data() + first_scalar(), h);
  }

 private:
  const B& body_;
  int link_, id_;
};

}  // namespace haptos
