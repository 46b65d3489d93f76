// A steel ball pressed on a steel block (Hertz 1882), the setting of the mortar potential's paper:
// an eighth of a ball of 50 mm radius and a quarter of a cylinder of 120 mm radius and 60 mm
// height, E 210 GPa, nu .3, 10 MPa on the flat top in ten steps, no friction, gap 50 um, support
// 10 um.
//
// The reference is Hertz' solution for half-spaces: a = (3 F R / 4 E*)^(1/3), p0 = 3 F / 2 pi a^2,
// approach a^2 / R. What differs from it: the bodies are finite (a / R = .059), contact of support
// d gives way by the change of the gap from the middle to the rim, and meshes have facets.
#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>
#include <map>

#include "haptos/base/math/index.h"
#include "haptos/bodies/elastic/elastic_laws.h"
#include "haptos/contact/live/mortar/mortar_press.h"
#include "haptos/geometry/mesh/topology.h"
#include "haptos/sim/sim.h"
#include "tests/scenes/graded_mesh.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kRadius = 0.05, kBlockRadius = 0.12, kBlockHeight = 0.06, kGap = 5e-5;
constexpr double kYoung = 2.1e11, kPoisson = 0.3, kPressure = 1e7, kSupport = 1e-5;
constexpr int kSteps = 10;

double effective_modulus() { return kYoung / (2 * (1 - kPoisson * kPoisson)); }
double whole_force() { return kPressure * kPi * kRadius * kRadius; }
double hertz_radius() { return std::cbrt(3 * whole_force() * kRadius / (4 * effective_modulus())); }
double hertz_pressure() { return 3 * whole_force() / (2 * kPi * square(hertz_radius())); }

struct Press {
  int model = 1, passes = 1;
  double stiffness = 1e15;
  // Longest edges: `finest` out to `core` from the pole, growing with the distance beyond.
  double finest = 0.26e-3, core = 3e-3, growth = 0.7;
  bool profile = false;  // prints pressures, for scripts/plots/mortar_hertz
};

// Of the pressure over r < .9 a.
struct Errors {
  double error = 0;        // L2 over p0
  double oscillation = 0;  // what is left of it without its mean over rings .05 a wide
  double centre = 0;       // mean pressure over r < .3 a, over that of Hertz
};

struct Result {
  int vertices[2] = {0, 0}, tets[2] = {0, 0};  // of block and ball
  double force = 0;                            // of the whole ball [N]
  double radius = 0;         // a by the second moment of the pressure, sqrt(5/2 <r^2>) [m]
  double approach = 0;       // of the ball's flat top and the block's bottom, without the gap [m]
  Errors whole, off_planes;  // everywhere; .15 a and more from the planes of symmetry
  int iterations = 0, status = 0;
};

// Sizes that grow with the distance from the pole at `pole`.
std::function<double(const Vec3d&)> graded(const Press& p, const Vec3d& pole) {
  return [p, pole](const Vec3d& x) {
    return p.finest + p.growth * std::max(0.0, norm(x - pole) - p.core);
  };
}

// The lower half of a ball about the origin, where x > 0 and y > 0.
TetMesh ball(const Press& p) {
  TetMesh m;
  m.vertices = {{{0, 0, 0}}, {{kRadius, 0, 0}}, {{0, 0, -kRadius}}, {{0, kRadius, 0}}};
  m.tets = {{{0, 1, 2, 3}}};
  const auto on_ball = [](const Vec3d& x) { return norm(x) > kRadius * (1 - 1e-9); };
  return test::LongestEdgeBisection::refine(
      std::move(m), graded(p, {{0, 0, -kRadius}}), [&](const Vec3d& a, const Vec3d& b) {
        const Vec3d middle = 0.5 * (a + b);
        return on_ball(a) && on_ball(b) ? middle * (kRadius / norm(middle)) : middle;
      });
}

// A quarter of a cylinder with its top at z = 0.
TetMesh block(const Press& p) {
  TetMesh m;
  for (const double z : {-kBlockHeight, 0.0}) {
    m.vertices.push_back({{0, 0, z}});
    for (int k = 0; k < 3; ++k)
      m.vertices.push_back(
          {{kBlockRadius * std::cos(k * kPi / 4), kBlockRadius * std::sin(k * kPi / 4), z}});
  }
  m.vertices[3][0] = m.vertices[7][0] = 0;
  for (int k = 0; k < 2; ++k) {  // a prism with corners a b c below and above, in three
    const int a = 0, b = 1 + k, c = 2 + k;
    m.tets.push_back({{a, b, c, c + 4}});
    m.tets.push_back({{a, b, c + 4, b + 4}});
    m.tets.push_back({{a, b + 4, c + 4, a + 4}});
  }
  const auto far = [](const Vec3d& x) { return std::hypot(x[0], x[1]); };
  return test::LongestEdgeBisection::refine(std::move(m), graded(p, Vec3d::zero()),
                                            [&](const Vec3d& a, const Vec3d& b) {
                                              Vec3d middle = 0.5 * (a + b);
                                              const double round = kBlockRadius * (1 - 1e-9);
                                              if (far(a) > round && far(b) > round) {
                                                const double out = kBlockRadius / far(middle);
                                                middle[0] *= out;
                                                middle[1] *= out;
                                              }
                                              return middle;
                                            });
}

SoftBody body(const std::string& name, TetMesh mesh) {
  SoftBody b;
  b.name = name;
  b.mesh = std::move(mesh);
  b.element = Element::kLinear;
  b.material.young = kYoung;
  b.material.poisson = kPoisson;
  b.material.law = static_cast<int>(ElasticLaw::kLinear);
  return b;
}

std::vector<int> plane(const SoftBody& b, int axis, double at) {
  return test::vertices_where(b.mesh,
                              [&](const Vec3d& x) { return std::abs(x[axis] - at) < 1e-9; });
}

void hold(SoftBody& b, int axis, std::vector<int> vertices) {
  HeldVertices h;
  h.vertices = std::move(vertices);
  h.axis[axis] = true;
  b.held.push_back(h);
}

double hertz(double r) {
  return hertz_pressure() * std::sqrt(std::max(0.0, 1 - square(r / hertz_radius())));
}

struct Sample {
  double far = 0, to_plane = 0;  // distance from the axis, from the nearest plane of symmetry [m]
  double area = 0, force = 0;
};

template <class Where>
Errors errors(const std::vector<Sample>& samples, const Where& where) {
  struct Ring {
    double area = 0, sum = 0, square_sum = 0;
  };
  constexpr int kRings = 18;
  Ring ring[kRings];
  double force = 0, wanted = 0;
  const double a = hertz_radius();
  for (const Sample& s : samples) {
    if (s.far >= 0.9 * a || !where(s)) continue;
    const double off = s.force / s.area - hertz(s.far);
    Ring& at = ring[static_cast<int>(s.far / (0.05 * a))];
    at.area += s.area;
    at.sum += s.area * off;
    at.square_sum += s.area * square(off);
    if (s.far >= 0.3 * a) continue;
    force += s.force;
    wanted += s.area * hertz(s.far);
  }
  double area = 0, sum = 0, mean = 0;
  for (const Ring& k : ring) {
    if (!(k.area > 0)) continue;
    area += k.area;
    sum += k.square_sum;
    mean += square(k.sum) / k.area;
  }
  return {std::sqrt(sum / area) / hertz_pressure(),
          std::sqrt(std::max(0.0, sum - mean) / area) / hertz_pressure(), force / wanted};
}

// Pressures are those of the contact records, force over area: of a mortar sample, or of a sample
// of barrier contact with all features that it sees.
void read_pressure(const std::vector<ContactPoint>& contacts, const Press& p, Result& r) {
  std::map<std::array<std::int64_t, 3>, Sample> samples;
  std::int64_t number = 0;
  double moment = 0;
  for (const ContactPoint& c : contacts) {
    const double far = std::hypot(c.p[0], c.p[1]);
    r.force += 4 * c.force[2] * (c.body_a < c.body_b ? -1 : 1);
    moment += 4 * c.normal_force * square(far);
    if (c.area == 0) continue;
    const bool own = c.feature_a >= kMortarKind * kFeatureKind;
    Sample& s = samples[{c.body_a, c.feature_a, own ? ++number : 0}];
    s.far = far;
    s.to_plane = std::min(c.p[0], c.p[1]);
    s.area += c.area;
    s.force += c.normal_force;
  }
  const auto inside = [&](const Sample&) { return true; };
  const auto off_the_planes = [&](const Sample& s) { return s.to_plane > 0.15 * hertz_radius(); };
  std::vector<Sample> all;
  all.reserve(samples.size());
  for (const auto& [key, s] : samples) all.push_back(s);
  if (p.profile)
    for (const Sample& s : all)
      if (s.area > 0 && s.far < 1.2 * hertz_radius())
        std::printf("pressure %d %d %.5f %.5f %.3g\n", p.model, p.passes, s.far / hertz_radius(),
                    s.force / s.area / hertz_pressure(), s.area / square(hertz_radius()));
  r.whole = errors(all, inside);
  r.off_planes = errors(all, off_the_planes);
  r.radius = std::sqrt(2.5 * moment / std::abs(r.force));
}

// Both bodies as the scene has them, without load.
std::vector<SoftBody> bodies(const Press& p) {
  SoftBody low = body("block", block(p)), high = body("ball", ball(p));
  high.pose.p = {{0, 0, kRadius + kGap}};
  for (SoftBody* b : {&low, &high})
    for (const int axis : {0, 1}) hold(*b, axis, plane(*b, axis, 0));
  hold(low, 2, plane(low, 2, -kBlockHeight));
  NodalForce load;
  load.vertices = plane(high, 2, 0);
  load.force = {{0.0, Vec3d::zero()}, {1.0, {{0, 0, -whole_force() / 4}}}};
  load.spread = Spread::kArea;
  high.forces.push_back(load);
  return {low, high};
}

Scene scene(const Press& p) {
  Scene s;
  s.sim.integrator = static_cast<int>(Integrator::kQuasiStatic);
  s.sim.dt = 1.0 / kSteps;
  s.sim.pseudo_step = 1e-3;  // what has not met anything yet falls freely for so long
  s.sim.gravity_z = 0;
  s.sim.threads = 1;
  s.contact.model = p.model;
  s.contact.passes = p.passes;
  s.contact.support = kSupport;
  s.contact.stiffness = p.stiffness;
  s.newton.force_tolerance = 1e-8;
  s.soft = bodies(p);
  return s;
}

// Mean displacement of vertices along z [m].
double mean_rise(const Sim& sim, const SoftBody& b, const std::vector<int>& vertices) {
  const std::vector<Vec3d> x = sim.soft_positions(b.name);
  double sum = 0;
  for (const int v : vertices)
    sum += x[at_index(v)][2] - b.pose.p[2] - b.mesh.vertices[at_index(v)][2];
  return sum / static_cast<double>(vertices.size());
}

Result press(const Press& p) {
  const Scene s = scene(p);
  Sim sim(s);
  Result r;
  for (std::size_t k = 0; k < 2; ++k) {
    r.vertices[k] = static_cast<int>(s.soft[k].mesh.vertices.size());
    r.tets[k] = static_cast<int>(s.soft[k].mesh.tets.size());
  }
  for (int k = 0; k < kSteps; ++k) {
    const StepReport step = sim.step();
    r.status |= static_cast<int>(step.status());
    r.iterations += step.newton.iterations;
  }
  read_pressure(sim.contacts(), p, r);
  double gap = kSupport;
  for (const ContactPoint& c : sim.contacts()) gap = std::min(gap, c.gap);
  const SoftBody& top = s.soft[1];
  r.approach = -mean_rise(sim, top, top.forces[0].vertices) - kGap + gap;
  return r;
}

// The approach of these finite bodies under the pressure of Hertz, without contact.
double approach_under_hertz_pressure(const Press& p) {
  Scene s = scene(p);
  double approach = 0;
  for (SoftBody& b : s.soft) {
    const bool ball = b.name == "ball";
    const double pole_z = ball ? -kRadius : 0;
    std::vector<int> number;
    const TriMesh surface = boundary_surface(b.mesh, &number);
    std::vector<double> pressure;
    std::vector<Vec3i> triangles;
    double sum = 0;
    for (const Vec3i& t : surface.triangles) {
      const Vec3d &x = surface.vertices[at_index(t[0])], &y = surface.vertices[at_index(t[1])],
                  &z = surface.vertices[at_index(t[2])];
      const Vec3d middle = (x + y + z) * (1.0 / 3), n = cross(y - x, z - x) * 0.5;
      const double far = std::hypot(middle[0], middle[1]);
      if (std::abs(middle[2] - pole_z) > 0.01 * kRadius || far > hertz_radius() ||
          std::abs(n[2]) < 0.5 * norm(n))
        continue;
      pressure.push_back(hertz(far));
      sum += pressure.back() * std::abs(n[2]);
      triangles.push_back(t);
    }
    for (std::size_t k = 0; k < triangles.size(); ++k) {
      SurfacePressure on;
      Vec3i t = triangles[k];
      for (int& v : t.a) v = number[at_index(v)];
      on.triangles = {t};
      on.pressure = {{0.0, 0.0}, {1.0, pressure[k] * whole_force() / (4 * sum)}};
      b.pressures.push_back(on);
    }
    const std::vector<int> pole = test::vertices_where(b.mesh, [&](const Vec3d& x) {
      return std::hypot(x[0], x[1]) < 1e-9 && std::abs(x[2] - pole_z) < 1e-9;
    });
    // What the pressures lack is held where it matters least, in the middle of the top.
    if (ball)
      hold(b, 2, test::vertices_where(b.mesh, [](const Vec3d& x) { return norm(x) < 1e-9; }));
    Scene one = s;
    one.soft = {b};
    one.sim.dt = 1;
    Sim sim(one);
    EXPECT_EQ(static_cast<int>(sim.step().status()), 0);
    approach -= ball ? mean_rise(sim, b, b.forces[0].vertices) - mean_rise(sim, b, pole)
                     : mean_rise(sim, b, pole);
  }
  return approach;
}

void print(const char* name, const Result& r) {
  const auto say = [&](const char* what, double value, const char* unit) {
    std::printf("FIGURE hertz.%s.%s = %.5g %s\n", name, what, value, unit);
  };
  std::printf("FIGURE hertz.%s.vertices = %d + %d\n", name, r.vertices[0], r.vertices[1]);
  say("tets", r.tets[0] + r.tets[1], "");
  say("force_over_load", r.force / whole_force(), "");
  say("radius", 1e3 * r.radius, "mm");
  say("approach", 1e3 * r.approach, "mm");
  for (const auto& [where, e] : {std::pair("", r.whole), std::pair("off_planes.", r.off_planes)}) {
    const std::string at(where);
    say((at + "error").c_str(), e.error, "p0");
    say((at + "oscillation").c_str(), e.oscillation, "p0");
    say((at + "centre").c_str(), e.centre, "of Hertz");
  }
  say("iterations", r.iterations, "");
}

TEST(MortarHertz, PressureOnACoarseMesh) {
  Press p;
  p.finest = 0.6e-3;
  const Result r = press(p);
  print("coarse", r);
  EXPECT_EQ(r.status, 0);
  EXPECT_NEAR(r.force, whole_force(), 1e-5 * whole_force());
  EXPECT_NEAR(r.radius, hertz_radius(), 0.005 * hertz_radius());
  EXPECT_LT(r.whole.error, 0.08);
  EXPECT_NEAR(r.approach, approach_under_hertz_pressure(p), 0.5e-6);
}

TEST(FullMortarHertz, PressureAtThePublishedSetting) {
  Press p;
  p.profile = true;
  const double finite = approach_under_hertz_pressure(p);
  std::printf("FIGURE hertz.finite_bodies.approach = %.5g mm\n", 1e3 * finite);
  for (const int passes : {1, 2}) {
    p.passes = passes;
    const Result r = press(p);
    print(passes == 1 ? "mortar" : "two_passes", r);
    EXPECT_EQ(r.status, 0);
    EXPECT_NEAR(r.force, whole_force(), 1e-5 * whole_force());
    EXPECT_NEAR(r.radius, hertz_radius(), 0.003 * hertz_radius());
    EXPECT_NEAR(r.whole.centre, 1, 0.01);
    EXPECT_LT(r.whole.error, 0.02);
    EXPECT_NEAR(r.approach, finite, 0.2e-6);
  }
  p.passes = 1;
  p.model = 0;
  const Result barrier = press(p);
  print("barrier", barrier);
  EXPECT_EQ(barrier.status, 0);
  EXPECT_GT(barrier.off_planes.oscillation, 0.02);  // more than mortar contact on the same mesh
}

TEST(FullMortarHertz, AccuracyAgainstCost) {
  double mortar = 1;
  for (const double finest : {0.8e-3, 0.57e-3, 0.4e-3, 0.28e-3})
    for (const int model : {1, 0}) {
      Press p;
      p.finest = finest;
      p.model = model;
      const std::clock_t start = std::clock();
      const Result r = press(p);
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      std::printf("cost %d %g %d %.3g %.5f %.5f %d\n", model, finest, r.vertices[0] + r.vertices[1],
                  seconds, r.off_planes.error, r.off_planes.oscillation, r.iterations);
      EXPECT_EQ(r.status, 0);
      if (model == 1) {
        EXPECT_LT(r.off_planes.error, mortar);  // finer is better
        mortar = r.off_planes.error;
      }
    }
}

}  // namespace
}  // namespace haptos
