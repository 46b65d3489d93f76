// The law suite on the barrier of segments and points, and what a soft surface sees of them.
#include <numeric>

#include "haptos/contact/live/barrier/closest_features.h"
#include "haptos/contact/live/pairs/barrier_law.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/laws/barrier_cases.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::kUnit;
using test::Random;
using test::TermCase;

// A bent wire of three segments, a needle, and two points beside them; nothing has a face.
TriMesh wires() {
  TriMesh m;
  m.vertices = {{{-0.8, -0.1, 0}},    {{-0.1, 0.1, 0.1}}, {{0.4, -0.2, 0.05}},
                {{0.9, 0.3, 0}},      {{0.2, 0.6, -0.9}}, {{0.25, 0.62, 0.05}},
                {{-0.5, 0.55, 0.02}}, {{0.3, -0.7, 0.07}}};
  m.segments = {{{0, 1}}, {{1, 2}}, {{3, 2}}, {{4, 5}}};
  m.points = {6, 7};
  return m;
}

TriMesh points_only() {
  TriMesh m = wires();
  m.segments.clear();
  m.points = {1, 3, 5, 6, 7};
  return m;
}

// Triangles, a wire that starts from one of them, and a point.
TriMesh mixed() {
  TriMesh m = wires();
  m.triangles = {{{0, 1, 6}}, {{1, 5, 6}}};
  m.segments = {{{1, 2}}, {{2, 3}}, {{0, 1}}};  // the last is an edge of a triangle already
  m.points = {7, 0};                            // as is the last of these a corner
  return m;
}

std::vector<int> all_cells(const ContactSurface& s) {
  std::vector<int> c(static_cast<std::size_t>(s.cell_count()));
  std::iota(c.begin(), c.end(), 0);
  return c;
}

ContactSurface surface_of(const TriMesh& m) {
  std::vector<int> points;
  for (std::size_t i = 0; i < m.vertices.size(); ++i) points.push_back(static_cast<int>(i));
  return {m, points, 0, 0, true};
}

double distance_to(const TriMesh& m, const Vec3d& p) {
  const auto x = [&](int v) { return m.vertices[static_cast<std::size_t>(v)]; };
  double d = 1e300;
  for (const Vec3i& t : m.triangles)
    d = std::min(d, point_triangle_stencil(p, x(t[0]), x(t[1]), x(t[2])).d);
  for (const Vec2i& s : m.segments) d = std::min(d, point_edge_stencil(p, x(s[0]), x(s[1])).d);
  for (const int v : m.points) d = std::min(d, norm(p - x(v)));
  return d;
}

TEST(LooseCells, LawsHoldForSoftBodiesOnWiresAndPointsInManyPoses) {
  int touching = 0, touching_mortar = 0, edges = 0;
  const TriMesh colliders[] = {wires(), points_only(), mixed()};
  for (unsigned seed = 1; seed <= 20; ++seed)
    for (const TriMesh& collider : colliders)
      for (const bool driven : {false, true}) {
        Random random(seed);
        TriMesh soft = icosphere(0.5, 0.6);
        const Mat3d R = to_matrix(rotation_by(3.0 * random.vector()));
        const Vec3d at{{0.8 * random(), 0.6 * random(), 0.7}};
        for (Vec3d& x : soft.vertices) x = R * x + at;
        // Down until the nearest part is closer than the support.
        double lowest = 0;
        const auto nearest = [&](double z) {
          double d = 1e300;
          for (const Vec3i& t : soft.triangles)
            for (int i = 0; i < 3; ++i)
              for (int j = 0; j < 3; ++j)
                for (const double w : {0.0, 0.25, 0.5}) {
                  const auto x = [&](int k) {
                    return soft.vertices[static_cast<std::size_t>(t[k])];
                  };
                  const Vec3d p = (x(i) * (1 - w) + x(j) * w) * 0.7 + x((j + 1) % 3) * 0.3;
                  d = std::min(d, distance_to(collider, p + Vec3d{{0, 0, z}}));
                }
          return d;
        };
        while (nearest(lowest) > 0.12 && lowest > -2) lowest -= 0.01;
        for (Vec3d& x : soft.vertices) x[2] += lowest;
        for (const bool mortar : {false, true}) {
          TermCase c(soft, collider, driven, kUnit, 1 + static_cast<int>(seed % 2), mortar);
          if (test::energy_of(c.law) == 0) continue;
          ++(mortar ? touching_mortar : touching);
          edges += !mortar && collider.points.size() < 5;
          SCOPED_TRACE("seed " + std::to_string(seed) + (driven ? ", driven" : ", free") +
                       (mortar ? ", mortar" : ""));
          c.law.step = 1e-6;
          c.law.keep = mortar;
          if (mortar) c.law.hessian_tolerance = 0.1;  // gaps are a third of an edge
          test::check_derivatives(c.law);
          test::check_projection(c.law);
          test::check_rigid_invariance(c.law);
        }
      }
  EXPECT_GT(touching_mortar, 80);
  EXPECT_GT(touching, 80);
  EXPECT_GT(edges, 50);
}

TEST(LooseCells, EverySumOfCountsOfAStraightWireIsOne) {
  TriMesh m;
  for (int i = 0; i <= 6; ++i) m.vertices.push_back({{0.2 * i * i / 6, 0, 0}});
  for (int i = 0; i < 6; ++i) m.segments.push_back({{i, i + 1}});
  const ContactSurface s = surface_of(m);
  Random random(3);
  int seen_something = 0;
  for (int i = 0; i < 1000; ++i) {
    const Vec3d p = Vec3d{{0.6, 0, 0}} + 0.7 * random.vector();
    std::vector<SeenFeature> seen;
    closest_features(s, m.vertices, p, all_cells(s), 0.3, seen);
    double sum = 0;
    for (const SeenFeature& f : seen) sum += f.count * barrier(f.distance, 0.3).value;
    EXPECT_NEAR(sum, barrier(distance_to(m, p), 0.3).value, 1e-12);
    seen_something += sum > 0;
  }
  EXPECT_GT(seen_something, 100);
}

TEST(LooseCells, EnergyOfASurfaceOverALineIsThatOfTheIntegralOverIt) {
  // A flat soft square at height g over a long wire: kappa times the integral of B(sqrt(y^2 + g^2))
  // over the square, whatever its mesh, once samples are closer than the support.
  const double support = 0.2, g = 0.08;
  double exact = 0;
  for (int i = 0; i < 200000; ++i) {
    const double y = -support + (i + 0.5) * 1e-5 * support;
    exact += barrier(std::hypot(y, g), support).value * 1e-5 * support;
  }
  for (const int n : {24, 48}) {
    TriMesh square, wire;
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j <= n; ++j)
        square.vertices.push_back({{1.0 * i / n - 0.5, 1.0 * j / n - 0.5 + 1e-4, g}});
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const int a = i * (n + 1) + j, b = a + n + 1;
        square.triangles.push_back({{a, b, b + 1}});
        square.triangles.push_back({{a, b + 1, a + 1}});
      }
    wire.vertices = {{{-2, 0, 0}}, {{2, 0, 0}}};
    wire.segments = {{{0, 1}}};
    ContactSurface soft = surface_of(square), collider = surface_of(wire);
    double sum = 0;
    std::vector<SeenFeature> seen;
    for (const SurfaceSample& q : surface_samples(soft, 1)) {
      seen.clear();
      closest_features(collider, wire.vertices, at(square.vertices, q.at), all_cells(collider),
                       support, seen);
      for (const SeenFeature& f : seen)
        sum += f.count * q.area * barrier(f.distance, support).value;
    }
    EXPECT_NEAR(sum / exact, 1, n == 24 ? 1e-2 : 2e-3) << n;
  }
}

TEST(LooseCells, ForcesOnBothSidesAddUpToNothing) {
  TriMesh ball = icosphere(0.5, 0.4);
  for (Vec3d& x : ball.vertices) x += Vec3d{{0.1, 0.2, 0.63}};
  for (const TriMesh& collider : {wires(), points_only(), mixed()}) {
    TermCase c(ball, collider, false);
    Assembly a;
    a.reset(test::dense_pattern(c.law.points));
    a.begin(c.law.points, false, nullptr);
    a.set_factors(1, 1);
    c.term->refresh(c.law.points, Sampling::kAnew);
    Evaluation e;
    e.points = &c.law.points;
    e.assembly = &a;
    ASSERT_GT(c.term->evaluate(e).value, 0);
    Vec3d force = Vec3d::zero(), torque = Vec3d::zero();
    double scale = 0;
    for (int p = 0; p < c.law.points.size(); ++p) {
      const Vec3d& g = a.point_gradient()[static_cast<std::size_t>(p)];
      force += g;
      torque += cross(c.law.points.x[static_cast<std::size_t>(p)], g);
      scale += norm(g);
    }
    EXPECT_LE(norm(force), 1e-12 * scale);
    EXPECT_LE(norm(torque), 2e-12 * scale * kUnit);
  }
}

}  // namespace
}  // namespace haptos
