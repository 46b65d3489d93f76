#include "tests/scenes/watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/base/math/index.h"
#include "haptos/base/text/status.h"
#include "haptos/geometry/mesh/mass_properties.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/geometry/query/exact.h"
#include "haptos/sim/model/pairs.h"
#include "tests/scenes/crossing.h"

namespace haptos::test {
namespace {

Vec3d moved(const Pose& pose, const Vec3d& x) { return to_matrix(pose.q) * x + pose.p; }

double energy_at_start(const Scene& s) {
  const Vec3d g{{s.sim.gravity_x, s.sim.gravity_y, s.sim.gravity_z}};
  double e = 0;
  for (const SoftBody& b : s.soft)
    for (const Vec4i& t : b.mesh.tets) {
      Vec3d x[4];
      for (int k = 0; k < 4; ++k) x[k] = moved(b.pose, b.mesh.vertices[at_index(t[k])]);
      const double m = b.material.density * six_volume(x[0], x[1], x[2], x[3]) / 6;
      e += m * (0.5 * squared_norm(b.velocity) - dot(g, (x[0] + x[1] + x[2] + x[3]) * 0.25));
    }
  for (const AffineBody& b : s.affine) {
    const Moments m = b.mass > 0 ? moments_from(b.mass, b.centre, b.inertia)
                                 : solid_moments(b.surface, b.density);

    const Vec3d w = transpose(to_matrix(b.pose.q)) * b.angular_velocity;
    e += m.mass * (0.5 * squared_norm(b.velocity) - dot(g, moved(b.pose, m.centre()))) +
         0.5 * dot(w, m.inertia() * w);
  }
  return e;
}

}  // namespace

Watch::Watch(Sim& sim) : sim_(sim) {
  const Scene& s = sim.scene();
  for (const SoftBody& b : s.soft) bodies_.push_back({b.name, Body::kSoft});
  for (const AffineBody& b : s.affine) bodies_.push_back({b.name, Body::kAffine});
  for (const PrescribedBody& b : s.prescribed)
    if (!b.surface.empty()) bodies_.push_back({b.name, Body::kPrescribed});
  for (const Body& b : bodies_) last_.push_back(surface(b.name));
  initial_ = energy = energy_at_start(s);
  highest_energy = -1e300;
}

TriMesh Watch::surface(const std::string& name) const { return present_surface(sim_, name); }

Vec3d Watch::centre(const std::string& name) const {
  const TriMesh m = surface(name);
  Vec3d c = Vec3d::zero();
  for (const Vec3d& x : m.vertices) c += x * (1.0 / static_cast<double>(m.vertices.size()));
  return c;
}

bool Watch::check_surfaces() {
  std::vector<TriMesh> now;
  for (const Body& b : bodies_) now.push_back(surface(b.name));
  speed_ = 0;
  bool finite = true;
  for (std::size_t i = 0; i < now.size(); ++i) {
    for (std::size_t v = 0; v < now[i].vertices.size(); ++v) {
      const double u = norm(now[i].vertices[v] - last_[i].vertices[v]) / sim_.scene().sim.dt;
      finite = finite && std::isfinite(u);
      if (bodies_[i].kind != Body::kPrescribed) speed_ = std::max(speed_, u);
    }
  }
  EXPECT_TRUE(finite);
  std::size_t cut = 0;
  for (std::size_t i = 0; finite && i < now.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (bodies_[i].kind == Body::kPrescribed && bodies_[j].kind == Body::kPrescribed) continue;
      if (!may_touch(sim_.scene(), bodies_[i].name, bodies_[j].name)) continue;
      cut += crossings(now[i], now[j]);
      if (bodies_[j].kind == Body::kSoft && !now[i].only_triangles())
        cut += vertices_inside(sim_, bodies_[j].name, now[i]);
    }
    if (bodies_[i].kind == Body::kPrescribed) continue;
    for (const HalfSpace& h : sim_.scene().half_spaces) {
      if (!may_touch(sim_.scene(), bodies_[i].name, h.name)) continue;
      for (const Vec3d& x : now[i].vertices) cut += dot(h.normal, x) - h.offset <= 0;
    }
  }
  EXPECT_EQ(cut, 0u);
  last_ = std::move(now);
  return finite && cut == 0;
}

bool Watch::step() {
  const StepReport r = sim_.step();
  SCOPED_TRACE("step " + std::to_string(steps) + ", " + std::to_string(r.newton.iterations) +
               " iterations, residual " + std::to_string(r.newton.residual) + " of " +
               std::to_string(r.newton.load) + " N: " + describe_status(r.status()));
  ++steps;
  iterations += r.newton.iterations;
  most_iterations = std::max(most_iterations, r.newton.iterations);
  lag_passes += r.newton.lag_passes;
  smallest_ratio = std::min(smallest_ratio, r.smallest_volume_ratio);
  smallest_gap = std::min(smallest_gap, r.newton.smallest_gap);
  seconds += r.seconds;
  const double now = r.kinetic + r.potential;
  largest_rise = std::max(largest_rise, now - energy);
  highest_energy = std::max(highest_energy, now - initial_);
  energy = now;
  EXPECT_EQ(r.status(), 0u);
  EXPECT_GT(r.smallest_volume_ratio, 0);
  return check_surfaces() && r.status() == 0 && r.smallest_volume_ratio > 0;
}

bool Watch::run_until(double time) {
  while (sim_.state().time < time - 0.5 * sim_.scene().sim.dt)
    if (!step()) return false;
  return true;
}

void Watch::print(const std::string& name) const {
  const double n = std::max(steps, 1);
  std::printf("FIGURE %s.iterations_per_step = %.2f\n", name.c_str(), iterations / n);
  std::printf("FIGURE %s.most_iterations = %d\n", name.c_str(), most_iterations);
  std::printf("FIGURE %s.smallest_volume_ratio = %.4f\n", name.c_str(), smallest_ratio);
  std::printf("FIGURE %s.smallest_gap = %.2e m\n", name.c_str(), smallest_gap);
  // Of scenes that start without energy, or about its zero, a part of it means nothing.
  if (std::abs(initial_) > 1e-9) {
    std::printf("FIGURE %s.energy_gain = %.2e\n", name.c_str(),
                highest_energy / std::abs(initial_));
    std::printf("FIGURE %s.largest_rise = %.2e\n", name.c_str(), largest_rise / std::abs(initial_));
  }
  std::printf("FIGURE %s.speed = %.2e m/s\n", name.c_str(), speed_);
  std::printf("FIGURE %s.seconds = %.2f s\n", name.c_str(), seconds);
}

}  // namespace haptos::test
