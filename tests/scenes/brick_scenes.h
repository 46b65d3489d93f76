// Scenes of bricks, affine or rigid, for tests of what joins them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "haptos/geometry/make/shapes.h"
#include "haptos/scene/rigid.h"
#include "haptos/sim/sim.h"

namespace haptos::test {

constexpr double kG = 9.81;

/// Edges [m] and the place of its centre; 1000 kg/m3.
inline AffineBody brick(const char* name, const Vec3d& size, const Vec3d& p) {
  AffineBody b;
  b.name = name;
  b.surface = box(size);
  b.pose.p = p;
  return b;
}

inline RobotBody rigid_brick(const char* name, const Vec3d& size, const Vec3d& p) {
  RobotShape s;
  s.name = "brick";
  s.shape.kind = ShapeKind::kBox;
  s.shape.size = size * 0.5;
  RobotContact at;
  at.name = name;
  at.pose.p = p;
  return rigid_body(at, {s}, {});
}

/// A constraint called "joint".
inline Constraint joined(ConstraintKind kind, const char* a, const char* b, const Pose& pose = {}) {
  Constraint c;
  c.name = "joint";
  c.kind = static_cast<int>(kind);
  c.a = a;
  c.b = b;
  c.pose = pose;
  return c;
}

inline Scene empty(double dt, double gravity = -kG) {
  Scene s;
  s.sim.dt = dt;
  s.sim.gravity_z = gravity;
  s.sim.threads = 1;
  s.newton.force_tolerance = 1e-9;
  return s;
}

inline void run(Sim& sim, double seconds) {
  const int steps = static_cast<int>(std::lround(seconds / sim.scene().sim.dt));
  for (int n = 0; n < steps; ++n) ASSERT_EQ(sim.step().status(), 0u) << n;
}

}  // namespace haptos::test
