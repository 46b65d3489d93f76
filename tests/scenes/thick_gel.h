// A rigid ball on a gel that is wide and thick against the contact, pressed to a depth and then
// moved sideways: the partial slip of Cattaneo and Mindlin. Half of the gel is modelled, y >= 0,
// symmetric at y = 0; sideways is x. Forces are of the whole.
//
// The gel is a box of elements that are equal about the contact and grow outwards.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/scenes/crossing.h"
#include "tests/support.h"

namespace haptos::test {

struct ThickGel {
  double radius = 20e-3, facet = 0.1e-3;  ///< of the ball [m]
  double depth = 5e-5;                    ///< to which it is pressed [m]
  double size = 0.42e-3;                  ///< of elements about the contact, as given [m]
  double core = 1.25e-3;                  ///< half width of the part with equal elements [m]
  double extent = 10e-3;                  ///< half width, and thickness [m]
  double growth = 2.5;                    ///< of elements beyond the core
  double friction = 0.2, poisson = 0.48, young = 1e5;
  double support = 5e-6, tangential = 1;  ///< of contact
  double force_tolerance = 1e-5;
  bool transverse = true;  ///< whether the gel may move along y
  int model = 0;           ///< of contact, a LiveModel
};

/// What partial slip looks like now.
struct PartialSlip {
  double ratio = 0;        ///< Q / (mu P)
  double by_traction = 0;  ///< c / a from the second moments of mu p - |q| and of p
  double by_flags = 0;     ///< c / a from the area that sticks and the area that carries
};

class BallOnThickGel {
 public:
  explicit BallOnThickGel(const ThickGel& g) : g_(g) {
    Scene s;
    s.sim.dt = 1;
    s.sim.gravity_z = 0;
    s.sim.threads = 1;
    s.contact.model = g.model;
    s.contact.support = g.support;
    s.contact.tangential = g.tangential;
    s.contact.divisions = 1;
    s.newton.force_tolerance = g.force_tolerance;
    s.newton.force_floor = 1e-14;
    s.newton.velocity_tolerance = 1;
    s.newton.max_lag_passes = 200;
    SoftBody gel;
    gel.name = "gel";
    const Pad pad = half();
    gel.mesh = pad.mesh;
    gel.material.young = g.young;
    gel.material.poisson = g.poisson;
    gel.material.density = 1;  // quasi-static
    gel.friction.sticking = g.friction;
    gel.glue = {{"base", pad.base_vertices}};
    gel.held.resize(1);
    gel.held[0].vertices =
        vertices_where(gel.mesh, [&](const Vec3d& x) { return x[1] == 0 || !g.transverse; });
    gel.held[0].axis[1] = true;
    PrescribedBody ball;
    ball.name = "ball";
    ball.friction.sticking = g.friction;
    ball.surface = sphere_lower_cap(g.radius, 4 * g.depth, g.facet);
    ball.trajectory = {{0.0, at_position({{0, 0, g.radius + 1.001 * g.support}})}};
    s.soft = {gel};
    s.prescribed = {mount("base"), ball};
    sim_ = std::make_unique<Sim>(s);
    go(0);
    go(0);  // the second step starts at rest
    normal_ = normal_force();
    a_ = std::cbrt(3 * normal_ * g.radius * (1 - g.poisson * g.poisson) / (4 * g.young));
  }

  /// One step to where the ball is displaced by x from where it was pressed down [m].
  void go(double x) {
    sim_->set_target("ball", at_position({{x, 0, g_.radius - g_.depth}}));
    const StepReport r = sim_->step();
    EXPECT_EQ(r.status(), 0u);
    EXPECT_EQ(r.newton.path, 1);
    EXPECT_GT(r.smallest_volume_ratio, 0);
    EXPECT_EQ(crossings(*sim_, "gel", "ball"), 0u);
    x_ = x;
    iterations += r.newton.iterations;
  }

  double normal_force() const { return -2 * sim_->contact_wrench("gel").force[2]; }
  double tangential_force() const { return 2 * sim_->contact_wrench("gel").force[0]; }
  /// P before the ball went sideways [N].
  double pressed() const { return normal_; }
  /// a of Hertz at that P [m].
  double contact_radius() const { return a_; }
  /// Displacement at which Mindlin's contact slips as a whole [m]: 3 mu P (2 - nu) / (16 G a).
  double slip_displacement() const {
    const double G = g_.young / (2 * (1 + g_.poisson));
    return 3 * g_.friction * normal_ * (2 - g_.poisson) / (16 * G * a_);
  }

  PartialSlip partial_slip() const {
    // The second moment of mu p0 (1 - r^2 / c^2)^(1/2) is 2 c^2 / 5.
    double p0 = 0, p2 = 0, q0 = 0, q2 = 0, area = 0, sticks = 0;
    for (const ContactPoint& c : sim_->contacts()) {
      if (!(c.normal_force > 0)) continue;
      const double r2 = (c.p[0] - x_) * (c.p[0] - x_) + c.p[1] * c.p[1];
      const double lack = g_.friction * c.normal_force - norm(c.tangential_force);
      p0 += c.normal_force;
      p2 += c.normal_force * r2;
      q0 += lack;
      q2 += lack * r2;
      area += c.area;
      if (c.sticking) sticks += c.area;
    }
    PartialSlip s;
    s.ratio = tangential_force() / (g_.friction * normal_force());
    s.by_traction = std::sqrt(std::max(0.0, q2 / q0) / (p2 / p0));
    s.by_flags = std::sqrt(sticks / area);
    return s;
  }

  const Sim& sim() const { return *sim_; }
  /// Displacement of the ball [m].
  double moved() const { return x_; }

  int iterations = 0;
  std::size_t vertices() const { return sim_->soft_model("gel").rest.vertices.size(); }

 private:
  static std::vector<double> lines(double core, double size, double extent, double growth) {
    const int n = std::max(1, static_cast<int>(std::lround(core / size)));
    std::vector<double> l;
    for (int i = 0; i <= n; ++i) l.push_back(core * i / n);
    const std::vector<double> outer = graded_lines(extent - core, size * growth, extent, growth);
    for (std::size_t i = 1; i < outer.size(); ++i) l.push_back(core + outer[i]);
    return l;
  }

  // A grid of unit cells, moved to the lines.
  Pad half() const {
    const std::vector<double> across = lines(g_.core, g_.size, g_.extent, g_.growth),
                              down = graded_lines(g_.extent, g_.size, g_.extent, g_.growth);
    const int n = static_cast<int>(across.size()) - 1, layers = static_cast<int>(down.size()) - 1;
    BoxPadShape unit;
    unit.width = 2 * n;
    unit.depth = n;
    unit.thickness = layers;
    Pad pad = box_pad(unit, 2 * n, n, layers);
    for (Vec3d& x : pad.mesh.vertices) {
      const auto i = std::lround(x[0]), j = std::lround(x[1] + 0.5 * n), k = std::lround(-x[2]);
      const double side = across[static_cast<std::size_t>(std::labs(i))];
      x = {{i < 0 ? -side : side, across[static_cast<std::size_t>(j)],
            -down[static_cast<std::size_t>(k)]}};
    }
    return pad;
  }

  ThickGel g_;
  std::unique_ptr<Sim> sim_;
  double x_ = 0, normal_ = 0, a_ = 0;
};

}  // namespace haptos::test
