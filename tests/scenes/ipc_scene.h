// What scenes after those of incremental potential contact share.
#pragma once

#include <string>
#include <vector>

#include "haptos/geometry/make/shapes.h"
#include "haptos/scene/scene.h"
#include "tests/support.h"

namespace haptos::test {

/// Linear elements.
inline SoftBody soft(const std::string& name, TetMesh mesh, const Vec3d& p, double young,
                     double poisson) {
  SoftBody b;
  b.name = name;
  b.mesh = std::move(mesh);
  b.pose.p = p;
  b.element = Element::kLinear;
  b.material.young = young;
  b.material.poisson = poisson;
  return b;
}

/// A box that goes straight from one place to another.
inline PrescribedBody plate(const std::string& name, const Vec3d& size, const Vec3d& from,
                            const Vec3d& to, double duration) {
  PrescribedBody b;
  b.name = name;
  b.surface = box(size);
  b.trajectory = straight(from, to, duration);
  return b;
}

/// One thread, support 1 mm, up to 1000 iterations and 100 lag passes.
inline Scene scene_of(std::vector<SoftBody> bodies, double dt) {
  Scene s;
  s.sim.threads = 1;
  s.sim.dt = dt;
  s.contact.support = 1e-3;
  s.newton.max_lag_passes = 100;
  s.newton.max_iterations = 1000;
  s.soft = std::move(bodies);
  return s;
}

}  // namespace haptos::test
