// The law suite on the barrier that keeps tetrahedra inside composite elements from inverting.
#include "haptos/bodies/elastic/inversion_barrier.h"
#include "tests/laws/law_suite.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::LawCase;
using test::Random;

struct InversionCase {
  LawCase law;
  std::shared_ptr<SoftElements> elements;
  std::unique_ptr<Term> term;

  explicit InversionCase(double size) {
    SoftBody body;
    body.name = "b";
    body.mesh.vertices = {{{0, 0, 0}},
                          {{size, 0, 0}},
                          {{0.1 * size, 0.9 * size, 0}},
                          {{0.2 * size, 0.2 * size, 0.8 * size}}};
    body.mesh.tets = {{{0, 1, 2, 3}}};
    const SoftModel model = compile_soft(body);
    int block = 0;
    for (const Vec3d& x : model.start) law.points.add_node(block++, 0, 0, x);
    law.points.finish_permanent();
    elements = std::make_shared<SoftElements>(law.points, model, 0, body.material);
    term = make_inversion_barrier(elements);
    law.term = term.get();
    law.length = size;
  }

  // Flattens everything to a part of its height and shakes it.
  void crush(double height, unsigned seed) {
    Random random(seed);
    for (Vec3d& x : law.points.x) {
      x[2] *= height;
      x += (0.02 * law.length) * random.vector();
    }
  }
};

TEST(InversionBarrier, HoldsTheLawsWhereTetrahedraAreCrushed) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    InversionCase c(1e-3);
    c.crush(0.2, seed);
    EXPECT_GT(test::energy_of(c.law), 0);
    c.law.step = 1e-6;
    test::check_derivatives(c.law);
    test::check_projection(c.law);
    test::check_rigid_invariance(c.law);
  }
}

TEST(InversionBarrier, IsZeroWhileNoTetrahedronIsBelowItsSupport) {
  InversionCase c(1e-3);
  for (Vec3d& x : c.law.points.x) x[2] *= kInversionSupport + 1e-6;
  EXPECT_EQ(test::energy_of(c.law), 0);
  EXPECT_EQ(test::evaluate_law(c.law).gradient.cwiseAbs().maxCoeff(), 0);
  for (Vec3d& x : c.law.points.x) x[2] *= 0.5;
  EXPECT_GT(test::energy_of(c.law), 0);
}

TEST(InversionBarrier, ScalesWithTheCubeOfTheUnitOfLengthAndGrowsWithoutBound) {
  InversionCase small(1e-3), large(1.0);
  small.crush(0.2, 4);
  large.crush(0.2, 4);
  EXPECT_NEAR(test::energy_of(small.law) * 1e9 / test::energy_of(large.law), 1, 1e-9);
  double last = 0;
  InversionCase c(1.0);
  const std::vector<Vec3d> rest = c.law.points.x;
  for (double height = 0.1; height > 1e-9; height *= 0.1) {
    for (std::size_t i = 0; i < rest.size(); ++i) c.law.points.x[i][2] = height * rest[i][2];
    const double pressure = test::evaluate_law(c.law).gradient.cwiseAbs().maxCoeff();
    EXPECT_GT(pressure, 4 * last);
    last = pressure;
  }
}

}  // namespace
}  // namespace haptos
