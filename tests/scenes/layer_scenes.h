// Scenes of rigid bodies with boundary layers, for tests and figures.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "haptos/base/text/status.h"
#include "haptos/bodies/stiff/rigid_body.h"
#include "haptos/scene/rigid.h"
#include "haptos/sim/sim.h"
#include "tests/unit/layer_cases.h"

namespace haptos::test {

constexpr double kEarth = 9.81;

struct LayeredBody {
  TriMesh mesh;
  Pose pose;
  double mass = 1, layer = 2.5e-3, friction = 0.5, modulus = 0;
  Vec3d velocity{{0, 0, 0}};
  bool fixed = false, shell = false;
};

/// A mesh that stays where it is.
inline LayeredBody floor_of(const TriMesh& mesh, double layer = 2.5e-3, double friction = 0.5) {
  LayeredBody b;
  b.mesh = mesh;
  b.layer = layer;
  b.friction = friction;
  b.fixed = true;
  return b;
}

inline RobotBody layered(const std::string& name, const LayeredBody& given) {
  RobotShape s;
  s.name = "mesh";
  s.shape.kind = ShapeKind::kMesh;
  s.shape.mesh = std::make_shared<const TriMesh>(given.mesh);
  RobotContact c;
  c.name = name;
  c.pose = given.pose;
  c.friction = given.friction;
  c.layer = given.layer;
  c.modulus = given.modulus;
  RigidSpec r;
  r.mass = given.fixed ? 0 : given.mass;
  r.velocity = given.velocity;
  r.fixed = given.fixed;
  r.shell = given.shell && !given.fixed;
  return rigid_body(c, {s}, r);
}

inline Scene layer_scene(double dt) {
  Scene s;
  s.sim.dt = dt;
  s.sim.threads = 1;
  return s;
}

/// Pose and speeds of a rigid body.
struct BodyState {
  Pose pose;
  Vec3d velocity, omega;
};
inline BodyState body_state(Sim& sim, const std::string& name) {
  const RobotView view = sim.robot(name);
  const std::vector<double> q = view.position(), v = view.velocity();
  return {
      {{{q[0], q[1], q[2]}}, {q[3], q[4], q[5], q[6]}}, {{v[0], v[1], v[2]}}, {{v[3], v[4], v[5]}}};
}

}  // namespace haptos::test
