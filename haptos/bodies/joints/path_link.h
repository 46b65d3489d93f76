// The frame of a body that follows a path, as a link that constraints can hold on to.
#pragma once

#include "haptos/system/link.h"

namespace haptos {

/// It has no unknowns: all that it does in a step is in bend(), and in how it turns from pose() to
/// pose_after(). Both ends of the path are those of the step, and set before terms prepare.
class PathLink final : public Link {
 public:
  /// @param id  in records
  PathLink(int id, int env) : id_(id), env_(env) {}
  Pose start, end;

  int body() const override { return id_; }
  int env() const override { return env_; }
  int block() const override { return -1; }
  int first_scalar() const override { return 0; }
  int columns() const override { return 0; }
  Pose pose() const override { return start; }
  Vec3d centre() const override { return start.p; }
  Vec3d velocity(const Vec3d&) const override { return Vec3d::zero(); }
  Vec3d velocity_with(const Vec3d&, const std::vector<double>&) const override {
    return Vec3d::zero();
  }
  Vec3d bias(const Vec3d&) const override { return Vec3d::zero(); }
  void jacobian(const Vec3d&, double*) const override {}
  void turning(double*) const override {}
  Pose pose_after(const std::vector<double>&, double) const override { return end; }

 private:
  int id_, env_;
};

}  // namespace haptos
