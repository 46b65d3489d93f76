// The law suite on mortar contact. Its samples follow the overlaps of the meshes, so gradients are
// those of the integral: exact where overlaps do not change, to the error of the quadrature
// elsewhere; Hessians leave out terms of the order of a gap over a triangle's size.
#include <cmath>

#include "haptos/contact/barrier/barrier_law.h"
#include "haptos/geometry/shapes.h"
#include "tests/laws/barrier_cases.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::kSupport;
using test::kUnit;
using test::Random;
using test::TermCase;

TriMesh triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  TriMesh m;
  m.vertices = {a, b, c};
  m.triangles = {{{0, 1, 2}}};
  return m;
}

// A triangle that looks up, and a larger one above it that looks down, tilted.
TriMesh low() { return triangle({{0, 0, 0}}, {{1, 0.1, 0.01}}, {{0.2, 0.9, -0.02}}); }
TriMesh high(double gap, double tilt) {
  TriMesh m = triangle({{-3, -2, 0}}, {{0, 4, 0}}, {{4, -2, 0}});
  const Mat3d R = to_matrix(rotation_by({{0.4 * tilt, tilt, 0.1}}));
  for (Vec3d& x : m.vertices) x = R * x + Vec3d{{0.4, 0.35, gap}};
  return m;
}

TEST(MortarTerm, HoldsTheLawsWhereATriangleLiesOverAnother) {
  for (const double tilt : {0.0, 0.02, 0.1})
    for (const bool driven : {false, true}) {
      SCOPED_TRACE("tilt " + std::to_string(tilt) + (driven ? ", driven" : ", free"));
      TermCase c(low(), high(0.1, tilt), driven, kUnit, 1, true);
      ASSERT_GT(test::energy_of(c.law), 0);
      c.law.hessian_tolerance = 0.05;
      test::check_derivatives(c.law);
      test::check_projection(c.law);
      test::check_rigid_invariance(c.law);
    }
}

// Two that only overlap, where the rim of the master lies over the slave: with what is sampled
// held, as a search holds it, the gradient is that of the energy.
TEST(MortarTerm, HoldsTheLawsForHeldSamplesWhereOverlapsEnd) {
  for (const double tilt : {0.0, 0.05})
    for (const bool driven : {false, true}) {
      SCOPED_TRACE("tilt " + std::to_string(tilt) + (driven ? ", driven" : ", free"));
      TriMesh m = high(0.1, tilt);
      for (Vec3d& x : m.vertices) x += Vec3d{{0.2, 2.1, 0}};
      TermCase c(low(), m, driven, kUnit, 1, true);
      ASSERT_GT(test::energy_of(c.law), 0);
      c.law.hold = true;
      c.law.hessian_tolerance = 0.05;
      test::check_derivatives(c.law);
      test::check_projection(c.law);
      test::check_rigid_invariance(c.law);
    }
}

}  // namespace
}  // namespace haptos
