// The law suite on the whole barrier term, against driven and free colliders, and on what a point
// sees.
#include "haptos/contact/live/barrier/closest_features.h"
#include "haptos/contact/live/pairs/barrier_law.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/laws/barrier_cases.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::kCorner;
using test::kUnit;
using test::point_in_region;
using test::Random;
using test::TermCase;
using test::triangle;

// Something with faces, sharp edges and corners of either sign to touch: a box with a notch.
TriMesh notched() {
  return extrude({{{-1, -1}}, {{1, -1}}, {{1, 0.3}}, {{0.1, 0.1}}, {{-1, 0.4}}}, {}, -0.8, 0.8);
}

// A triangle that stands on one vertex over a region of kCorner's.
TriMesh standing_on(int region) {
  const Vec3d p = point_in_region(region, 0.08);
  return triangle(p, p + Vec3d{{0.5, 0.2, 0.9}}, p + Vec3d{{-0.3, 0.45, 0.8}});
}

TEST(BarrierTerm, HoldsTheLawsWithOneVertexInEveryRegionOfATriangle) {
  const TriMesh collider = triangle(kCorner[0], kCorner[1], kCorner[2]);
  for (int region = 0; region < 7; ++region)
    for (const bool driven : {false, true}) {
      SCOPED_TRACE("region " + std::to_string(region) + (driven ? ", driven" : ", free"));
      TermCase c(standing_on(region), collider, driven);
      EXPECT_GT(test::energy_of(c.law), 0);
      test::check_derivatives(c.law);
      test::check_projection(c.law);
      test::check_rigid_invariance(c.law);
    }
}

// A sample beside an edge or a vertex of a driven triangle: the true Hessian is negative along the
// triangle, by its force over the gap; made convex it has that more. Over the face, and of a
// collider that moves by itself, nothing changes; nor do energy and gradient.
TEST(BarrierTerm, MakesSamplesOfARigidColliderConvexAndNothingElse) {
  const TriMesh collider = triangle(kCorner[0], kCorner[1], kCorner[2]);
  for (int region = 0; region < 7; ++region)
    for (const bool driven : {false, true}) {
      SCOPED_TRACE("region " + std::to_string(region) + (driven ? ", driven" : ", free"));
      const TriMesh soft = standing_on(region);
      TermCase plain(soft, collider, driven),
          convex(soft, collider, driven, kUnit, 1, false, {}, true);
      const test::LawValues a = test::evaluate_law(plain.law);
      const test::LawValues b = test::evaluate_law(convex.law);
      EXPECT_EQ(a.energy, b.energy);
      EXPECT_EQ(a.gradient, b.gradient);
      const double scale = a.hessian.cwiseAbs().maxCoeff();
      const auto least = [&](const Eigen::MatrixXd& h) {
        return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(h).eigenvalues()(0) / scale;
      };
      const Eigen::MatrixXd more = b.hessian - a.hessian;
      if (!driven || region == 0) {
        EXPECT_LT(more.cwiseAbs().maxCoeff(), 1e-12 * scale);
        continue;
      }
      EXPECT_GT(least(more), -1e-12);
      EXPECT_GT(more.trace(), 0.1 * scale);
    }
}

TEST(BarrierTerm, HoldsTheLawsOnSolidsWithEdgesCornersAndANotchInManyPoses) {
  int touching = 0;
  for (unsigned seed = 1; seed <= 40; ++seed)
    for (const bool driven : {false, true}) {
      Random random(seed);
      TriMesh soft = icosphere(0.5, 0.6);
      const Mat3d R = to_matrix(rotation_by(3.0 * random.vector()));
      const TriMesh collider = notched();
      // Down on some point of the collider's top, by half the support.
      const Vec3d at{{random(), 0.8 * random(), 0.7 * random()}};
      for (Vec3d& x : soft.vertices) x = R * x + at;
      double lift = -1e300;
      for (double y = -2; y < 2; y += 0.01) {
        TriMesh moved = soft;
        for (Vec3d& x : moved.vertices) x[1] += y;
        double nearest = 1e300;
        for (const Vec3d& x : moved.vertices)
          for (const Vec3i& t : collider.triangles)
            nearest = std::min(nearest, point_triangle_stencil(
                                            x, collider.vertices[static_cast<std::size_t>(t[0])],
                                            collider.vertices[static_cast<std::size_t>(t[1])],
                                            collider.vertices[static_cast<std::size_t>(t[2])])
                                            .d);
        if (nearest < 0.1) lift = y;  // the last, from above
      }
      if (lift < -1e299) continue;
      for (Vec3d& x : soft.vertices) x[1] += lift;
      TermCase c(soft, collider, driven, kUnit, 1 + static_cast<int>(seed % 2));
      if (test::energy_of(c.law) == 0) continue;
      ++touching;
      SCOPED_TRACE("seed " + std::to_string(seed) + (driven ? ", driven" : ", free"));
      c.law.step = 1e-6;
      test::check_derivatives(c.law);
      test::check_projection(c.law);
      test::check_rigid_invariance(c.law);
    }
  EXPECT_GT(touching, 60);
}

TEST(BarrierTerm, VanishesBeyondTheSupportAndScalesWithTheUnitOfLength) {
  const TriMesh ball = icosphere(0.5, 0.3), plate = box({{3, 3, 1}});
  auto over = [&](double gap) {
    TriMesh m = ball;
    for (Vec3d& x : m.vertices) x[2] += 1.0 + gap;
    return m;
  };
  TermCase rest(over(0.201), plate, true);
  EXPECT_EQ(test::energy_of(rest.law), 0);
  EXPECT_EQ(test::evaluate_law(rest.law).gradient.cwiseAbs().maxCoeff(), 0);
  TermCase small(over(0.1), plate, true, 1e-3), large(over(0.1), plate, true, 1.0);
  EXPECT_GT(test::energy_of(large.law), 0);
  EXPECT_NEAR(test::energy_of(small.law) * 1e9 / test::energy_of(large.law), 1, 1e-9);
}

TEST(BarrierTerm, DrivenPointsPushAsTheFreeOnesWouldTheOtherWay) {
  // A translation of everything changes nothing: H_free,driven U = -H_free,free U.
  TriMesh ball = icosphere(0.5, 0.6);
  for (Vec3d& x : ball.vertices) x += Vec3d{{0.97, 1.41, 0.35}};
  int touching = 0;
  for (double y = 0; y < 0.6; y += 0.01)
    for (const bool project : {false, true}) {
      TriMesh lowered = ball;
      for (Vec3d& x : lowered.vertices) x[1] -= y;
      TermCase c(lowered, notched(), true, kUnit, 2);
      if (test::energy_of(c.law) == 0) continue;
      ++touching;
      const Vec3d U{{0.3, -0.8, 0.5}};
      const std::vector<Vec3d> motion(c.law.points.x.size(), U);
      Assembly a;
      a.reset(test::dense_pattern(c.law.points));
      a.begin(c.law.points, true, &motion);
      a.set_factors(1, 1);
      c.term->refresh(c.law.points, Sampling::kAnew);
      Evaluation e;
      e.points = &c.law.points;
      e.assembly = &a;
      e.project = project;
      c.term->evaluate(e);
      a.finish();
      std::vector<double> u, Hu(a.driven_rhs().size());
      for (std::size_t i = 0; i < Hu.size(); ++i) u.push_back(U[static_cast<int>(i % 3)]);
      a.matrix().multiply(u.data(), Hu.data());
      double scale = 0, error = 0;
      for (std::size_t i = 0; i < Hu.size(); ++i) {
        scale = std::max(scale, std::abs(Hu[i]));
        error = std::max(error, std::abs(Hu[i] + a.driven_rhs()[i]));
      }
      EXPECT_GT(scale, 0);
      EXPECT_LE(error, 1e-9 * scale) << y;
    }
  EXPECT_GE(touching, 10);
}

TEST(BarrierTerm, ForcesOnBothBodiesAddUpToNothing) {
  TriMesh ball = icosphere(0.5, 0.3);
  for (Vec3d& x : ball.vertices) x += Vec3d{{0.97, 1.41, 0.35}};
  for (const bool driven : {false, true}) {
    TermCase c(ball, notched(), driven);
    for (double y = 0; test::energy_of(c.law) == 0 && y < 1; y += 0.02)
      for (std::size_t v = 0; v < ball.vertices.size(); ++v) {
        c.law.points.x[v][1] -= 0.02 * kUnit;
        if (v + 1 == ball.vertices.size()) c.prepare();
      }
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
    EXPECT_LE(norm(torque), 1e-12 * scale * kUnit * 2);
  }
}

TEST(BarrierTerm, EnergyAndForceAreContinuousAcrossFeatures) {
  // A point slides over a box, across faces, edges and corners: steps of E are those of its
  // gradient.
  const TriMesh plate = box({{1, 1, 1}}, {{2, 2, 1}});
  const Vec3d p{{-0.63, -0.61, 0.57}};
  TermCase c(triangle(p, p + Vec3d{{-0.4, 0.3, 2}}, p + Vec3d{{0.5, 0.1, 2}}), plate, true);
  const Vec3d step = Vec3d{{1.3, 0.9, 0.0}} * (kUnit / 4000);
  double before = 0, largest = 0, error = 0;
  Vec3d g_before = Vec3d::zero();
  for (int i = 0; i <= 4000; ++i) {
    if (i % 50 == 0) c.prepare();
    const test::LawValues v = test::evaluate_law(c.law);
    Vec3d g = Vec3d::zero();
    for (int q = 0; q < 3; ++q)
      g += Vec3d{{v.gradient[3 * q], v.gradient[3 * q + 1], v.gradient[3 * q + 2]}};
    if (i > 0)  // trapezoidal rule
      error = std::max(error, std::abs(v.energy - before - 0.5 * dot(g + g_before, step)));
    before = v.energy;
    g_before = g;
    largest = std::max(largest, v.energy);
    for (Vec3d& x : c.law.points.x)
      if (&x - c.law.points.x.data() < 3) x += step;
  }
  EXPECT_GT(largest, 0);
  EXPECT_LE(error, 1e-5 * largest);
}

TEST(ClosestFeatures, CountEveryFlatOrConvexSurfaceOnce) {
  const TriMesh cube = box({{1, 1, 1}}, {{3, 2, 4}});
  std::vector<int> points(cube.vertices.size());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = static_cast<int>(i);
  const ContactSurface s(cube, points, 0, 0, true);
  std::vector<int> all(cube.triangles.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  Random random(8);
  int seen_something = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3d p = 0.65 * random.vector();
    Vec3d outside;
    for (int k = 0; k < 3; ++k) outside[k] = std::max(std::abs(p[k]) - 0.5, 0.0);
    const double d = norm(outside);
    if (d == 0) continue;  // inside the cube
    std::vector<SeenFeature> seen;
    closest_features(s, cube.vertices, p, all, 0.12, seen);
    double sum = 0;
    for (const SeenFeature& f : seen) sum += f.count * barrier(f.distance, 0.12).value;
    EXPECT_NEAR(sum, barrier(d, 0.12).value, 1e-12);
    seen_something += sum > 0;
  }
  EXPECT_GT(seen_something, 400);
}

TEST(ClosestFeatures, CountBothFacesOfAConcaveCorner) {
  const TriMesh m = notched();
  std::vector<int> points(m.vertices.size());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = static_cast<int>(i);
  const ContactSurface s(m, points, 0, 0, true);
  std::vector<int> all(m.triangles.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  // In the notch at (0.1, 0.1): two faces, less the edge between them.
  const Vec3d p{{0.1, 0.15, 0.05}};
  std::vector<SeenFeature> seen;
  closest_features(s, m.vertices, p, all, 0.2, seen);
  int faces = 0, edges = 0;
  for (const SeenFeature& f : seen) {
    faces += f.kind == FeatureKind::kFace ? f.count : 0;
    edges += f.kind == FeatureKind::kEdge ? f.count : 0;
  }
  EXPECT_EQ(faces, 2);
  EXPECT_EQ(edges, -1);
}

}  // namespace
}  // namespace haptos
