// The scenes of Erleben's catalogue of degenerate contacts: a body is let go a little above a
// fixture that it meets vertex on vertex, edge along edge, corner in groove. Soft bodies of a few
// tetrahedra and stiff (affine) ones of the same shape, friction 1.
//
// At every step: converged, nothing intersects, nothing is inverted. At the end everything rests,
// and no energy was gained on the way. On flat fixtures that differ from a plane by their mesh only
// the force is vertical and nothing moves sideways.
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>

#include "haptos/geometry/mesh/mesh_edit.h"
#include "tests/param_names.h"
#include "tests/scenes/degenerate_shapes.h"
#include "tests/scenes/watch.h"
#include "tests/support.h"

namespace haptos {
namespace {

struct Case {
  std::string name;
  TetMesh body;     ///< its lowest point at z = 0
  TriMesh fixture;  ///< held; empty: none
  double height;    ///< of the body's lowest point where it touches
  double ground = -1e300;
  bool flat = false;  ///< the fixture acts as a plane
};

constexpr double kDrop = 0.01;  // [m]

std::vector<Case> cases() {
  using namespace test;
  const TetMesh tip = upside_down(spike()), ridge = upside_down(wedge_roof());
  const TriMesh spike_fixture = surface_of(spike()), wedge_fixture = surface_of(wedge_roof());
  TriMesh across = wedge_fixture;
  for (Vec3d& x : across.vertices) x = {{-x[1], x[0], x[2]}};
  const TetMesh cube = symmetric_cube();
  return {
      {"cube_on_cliff", cube, cliff(), 1, 0, true},
      {"cube_on_internal_edges", cube, internal_edges(), 1, 0, true},
      {"spike_on_plane", tip, slab(6), 0},
      {"wedge_on_plane", ridge, slab(6), 0},
      {"spike_on_spike", tip, spike_fixture, 3, 0},
      {"wedge_on_wedge", ridge, wedge_fixture, 3, 0},
      {"wedge_across_wedge", ridge, across, 3, 0},
      {"spike_on_wedge", tip, wedge_fixture, 3, 0},
      {"spike_in_crack", tip, crack(0.25), 0.25, -0.25},
      {"wedge_in_crack", ridge, crack(0.25), 0.25, -0.25},
      {"spike_in_wide_crack", tip, crack(0.5), 0, -0.25},
      {"wedge_in_wide_crack", ridge, crack(0.5), 0, -0.25},
      {"spike_in_hole", tip, hole(), 0.5, 0},
  };
}

Case find_case(const std::string& name) {
  for (Case& c : cases())
    if (c.name == name) return c;
  ADD_FAILURE() << name;
  return {};
}

Scene scene_of(const Case& c, bool soft) {
  Scene s;
  s.sim.threads = 1;
  s.sim.dt = soft ? 5e-3 : 1e-2;
  s.contact.support = 1e-3;
  s.newton.force_tolerance = 1e-6;
  s.newton.max_lag_passes = 100;  // where a tip slips off a tip
  const Pose start = test::at_position({{0, 0, c.height + kDrop}});
  if (soft) {
    SoftBody b;
    b.name = "body";
    b.mesh = c.body;
    b.pose = start;
    b.element = Element::kLinear;
    b.material.young = 1e5;
    b.material.poisson = 0.4;
    b.material.stiffness_damping = 0.05;
    b.friction.sticking = 1;
    s.soft = {b};
  } else {
    AffineBody b;
    b.name = "body";
    b.surface = test::surface_of(c.body);
    b.pose = start;
    b.friction.sticking = 1;
    s.affine = {b};
  }
  PrescribedBody fixture;
  fixture.name = "fixture";
  fixture.surface = c.fixture;
  fixture.friction.sticking = 1;
  fixture.trajectory = {{0.0, Pose{}}};
  s.prescribed = {fixture};
  if (c.ground > -1e299) {
    HalfSpace ground;
    ground.name = "ground";
    ground.offset = c.ground;
    ground.friction.sticking = 1;
    s.half_spaces = {ground};
  }
  return s;
}

// Runs for `least` seconds and on until nothing has moved for some tenths of a second, but no
// longer than a minute: what balances on a tip may take its time to fall over.
void drop(const std::string& name, bool soft, double least) {
  const Case c = find_case(name);
  Sim sim(scene_of(c, soft));
  test::Watch watch(sim);
  const Vec3d start = watch.centre("body");
  double sideways = 0, tilt = 0;
  int quiet = 0;
  Vec3d before = start;
  while (sim.state().time < least || (sim.state().time < 60 && quiet < 50)) {
    ASSERT_TRUE(watch.step());
    const Vec3d now = watch.centre("body");
    const Vec3d u = (now - before) * (1 / sim.scene().sim.dt);
    before = now;
    if (c.flat) {
      Vec3d force = Vec3d::zero();  // without friction
      for (const ContactPoint& p : sim.contacts())
        force += p.n * (p.body_a == sim.body_id("body") ? p.normal_force : -p.normal_force);
      sideways = std::max(sideways, std::hypot(u[0], u[1]));
      if (force[2] > 0) tilt = std::max(tilt, std::atan2(std::hypot(force[0], force[1]), force[2]));
    }
    quiet = watch.speed() < 1e-4 ? quiet + 1 : 0;
  }
  const std::string figure = "erleben." + name + (soft ? ".soft" : ".stiff");
  watch.print(figure);
  std::printf("FIGURE %s.time = %.3f s\n", figure.c_str(), sim.state().time);
  EXPECT_LT(watch.speed(), 1e-3);
  EXPECT_LE(watch.highest_energy, 1e-6 * std::abs(watch.initial_energy()));
  if (c.flat) {
    std::printf("FIGURE %s.sideways = %.2e m/s\n", figure.c_str(), sideways);
    std::printf("FIGURE %s.tilt = %.2e rad\n", figure.c_str(), tilt);
    EXPECT_LE(sideways, 1e-3);
    EXPECT_LE(tilt, 1e-3);
  }
}

using Param = std::tuple<std::string, std::string>;

std::vector<std::string> names() {
  std::vector<std::string> n;
  for (const Case& c : cases()) n.push_back(c.name);
  return n;
}

class Erleben : public testing::TestWithParam<Param> {};
TEST_P(Erleben, RestsAfterTenSeconds) {
  drop(std::get<0>(GetParam()), std::get<1>(GetParam()) == "soft", 10);
}
INSTANTIATE_TEST_SUITE_P(All, Erleben,
                         testing::Combine(testing::ValuesIn(names()),
                                          testing::Values("soft", "stiff")),
                         test::ParamName());

}  // namespace
}  // namespace haptos
