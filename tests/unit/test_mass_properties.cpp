// Moments of polyhedra against closed forms, in moved frames.
#include "haptos/geometry/mesh/mass_properties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "haptos/base/math/rotation.h"
#include "haptos/geometry/make/shapes.h"

namespace haptos {
namespace {

constexpr double kPi = 3.14159265358979323846;

Pose moved() {
  Pose p;
  p.p = {{3, -2, 0.5}};
  p.q = rotation_by({{0.3, -1.1, 0.7}});
  return p;
}

TriMesh at(TriMesh m, const Pose& pose) {
  for (Vec3d& x : m.vertices) x = pose * x;
  return m;
}

void expect_near(const Mat3d& a, const Mat3d& b, double tolerance) {
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(a[i], b[i], tolerance);
}

Mat3d diagonal(double x, double y, double z) { return {{x, 0, 0, 0, y, 0, 0, 0, z}}; }

// Mass, centre and inertia of the mesh in a moved frame, against those at the origin.
void expect_moved(const TriMesh& mesh, double density, double mass, const Vec3d& centre,
                  const Mat3d& inertia) {
  const Pose pose = moved();
  const Mat3d R = to_matrix(pose.q);
  const Moments m = solid_moments(at(mesh, pose), density);
  EXPECT_NEAR(m.mass, mass, 1e-10 * mass);
  const Vec3d c = pose * centre;
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(m.centre()[k], c[k], 1e-10 * norm(c));
  expect_near(m.inertia(), R * inertia * transpose(R), 1e-10 * inertia(0, 0));
}

TEST(MassProperties, BoxHasTheClosedForm) {
  const Vec3d s{{0.2, 0.3, 0.5}};
  const double m = 700 * s[0] * s[1] * s[2];
  expect_moved(box(s, {{2, 3, 1}}), 700, m, Vec3d::zero(),
               diagonal(m / 12 * (s[1] * s[1] + s[2] * s[2]), m / 12 * (s[0] * s[0] + s[2] * s[2]),
                        m / 12 * (s[0] * s[0] + s[1] * s[1])));
}

TEST(MassProperties, SphereIsThatOfItsFacetsAndConvergesToTheClosedForm) {
  const double r = 0.05, exact = 4.0 / 3 * kPi * r * r * r;
  double error[2], inertia_error[2];
  for (int k = 0; k < 2; ++k) {
    const TriMesh mesh = icosphere(r, k == 0 ? 0.008 : 0.004);
    const Moments m = solid_moments(mesh, 1.0);
    error[k] = 1 - m.mass / exact;
    inertia_error[k] = 1 - m.inertia()(0, 0) / (0.4 * exact * r * r);
    // Symmetric under the icosahedral group: isotropic about the centre.
    expect_near(m.inertia(), Mat3d::identity() * m.inertia()(0, 0), 1e-10 * m.inertia()(0, 0));
    expect_moved(mesh, 1.0, m.mass, Vec3d::zero(), m.inertia());
  }
  EXPECT_GT(error[0], 0);
  EXPECT_NEAR(error[0] / error[1], 4.0, 0.3);  // facets are off by the square of their size
  EXPECT_NEAR(inertia_error[0] / inertia_error[1], 4.0, 0.3);
}

TEST(MassProperties, RingOfPolygonsHasTheClosedForm) {
  const double inner = 0.02, outer = 0.05, h = 0.013;
  const TriMesh mesh = ring(inner, outer, h, 0.004);
  // Points of the outer rim at one height: the polygon's number of corners.
  int n = 0;
  double rim = 0, hole = 1e300;
  for (const Vec3d& x : mesh.vertices) {
    rim = std::max(rim, std::hypot(x[0], x[1]));
    hole = std::min(hole, std::hypot(x[0], x[1]));
  }
  double lowest = 1e300;
  for (const Vec3d& x : mesh.vertices) lowest = std::min(lowest, x[2]);
  for (const Vec3d& x : mesh.vertices)
    n += std::hypot(x[0], x[1]) > 0.999 * rim && x[2] < lowest + 1e-9;
  ASSERT_GT(n, 8);
  const double angle = 2 * kPi / n;
  auto area = [&](double r) { return 0.5 * n * r * r * std::sin(angle); };
  auto polar = [&](double r) { return area(r) * r * r / 6 * (2 + std::cos(angle)); };
  const double m = 900 * h * (area(rim) - area(hole)), z = 900 * h * (polar(rim) - polar(hole)),
               x = 0.5 * z + m * h * h / 12;
  expect_moved(mesh, 900, m, {{0, 0, lowest + 0.5 * h}}, diagonal(x, x, z));
}

TEST(MassProperties, GivenMassCentreAndInertiaComeBack) {
  const Mat3d inertia{{0.03, 0.001, -0.002, 0.001, 0.04, 0.003, -0.002, 0.003, 0.05}};
  const Moments m = moments_from(2.5, {{0.1, 0.2, -0.3}}, inertia);
  EXPECT_NEAR(m.mass, 2.5, 1e-15);
  EXPECT_NEAR(m.centre()[2], -0.3, 1e-15);
  expect_near(m.inertia(), inertia, 1e-15);
}

TEST(MassProperties, AddedPointMassesFollowTheParallelAxisTheorem) {
  Moments m = solid_moments(box({{0.1, 0.1, 0.1}}), 1000);
  const double own = m.inertia()(0, 0);
  m.add(0.25, {{0, 0, 0.2}});
  m.add(0.25, {{0, 0, -0.2}});
  EXPECT_NEAR(m.inertia()(0, 0), own + 0.5 * 0.04, 1e-12);
  EXPECT_NEAR(m.inertia()(2, 2), own, 1e-12);
}

}  // namespace
}  // namespace haptos
