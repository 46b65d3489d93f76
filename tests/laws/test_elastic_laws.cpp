// The law suite on elastic and damping terms, for both elements and all laws.
#include "haptos/bodies/elastic/damping.h"
#include "haptos/bodies/elastic/elastic.h"
#include "haptos/bodies/elastic/elastic_point.h"
#include "tests/laws/law_suite.h"
#include "tests/param_names.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::LawCase;
using test::Random;

// Two tetrahedra sharing a face, [m].
TetMesh two_tets(double size) {
  TetMesh m;
  m.vertices = {{{0, 0, 0}},
                {{size, 0, 0}},
                {{0.1 * size, 0.9 * size, 0}},
                {{0.2 * size, 0.2 * size, 0.8 * size}},
                {{0.9 * size, 0.8 * size, 0.7 * size}}};
  m.tets = {{{0, 1, 2, 3}}, {{1, 4, 2, 3}}};
  return m;
}

struct ElasticCase {
  LawCase law;
  std::shared_ptr<SoftElements> elements;
  std::unique_ptr<Term> term;
  SoftModel model;

  ElasticCase(Element element, int law_number, double size, double poisson, bool damping,
              const Quat& turn = {}) {
    SoftBody body;
    body.name = "b";
    body.mesh = two_tets(size);
    body.element = element;
    body.material.poisson = poisson;
    body.material.law = law_number;
    if (traits_of(static_cast<ElasticLaw>(law_number)).second_invariant)
      body.material.mooney_ratio = 0.4;
    body.pose.q = turn;
    body.material.stiffness_damping = 0.01;
    model = compile_soft(body);
    int block = 0;
    for (const Vec3d& x : model.start) law.points.add_node(block++, 0, 0, x);
    law.points.finish_permanent();
    elements = std::make_shared<SoftElements>(law.points, model, 0, body.material);
    term = damping ? make_damping_term(elements)
                   : make_elastic_term(elements, static_cast<ElasticLaw>(law_number));
    law.term = term.get();
    law.length = size;
    if (!damping) prepare();
  }

  // The step starts where the points are.
  void prepare() {
    law.points.x_start = law.points.x_base = law.points.x;
    StepContext start;
    start.points = &law.points;
    term->prepare(start);
  }

  void deform(double amount, unsigned seed) {
    Random random(seed);
    for (Vec3d& x : law.points.x) x += (amount * law.length) * random.vector();
    prepare();
  }
};

class ElasticLaws : public testing::TestWithParam<std::tuple<Element, int, double>> {};

TEST_P(ElasticLaws, GradientAndHessianMatchDifferencesInDeformedStates) {
  const auto [element, law, poisson] = GetParam();
  for (unsigned seed = 1; seed <= 5; ++seed) {
    ElasticCase c(element, law, 1e-3, poisson, false);
    c.deform(0.08, seed);
    test::check_derivatives(c.law);
  }
}

TEST_P(ElasticLaws, ProjectedHessianIsPositiveSemidefiniteUnderCompression) {
  const auto [element, law, poisson] = GetParam();
  for (unsigned seed = 1; seed <= 5; ++seed) {
    ElasticCase c(element, law, 1e-3, poisson, false);
    c.deform(0.1, seed);
    for (Vec3d& x : c.law.points.x) x[2] *= 0.6;
    test::check_projection(c.law);
  }
}

TEST_P(ElasticLaws, EnergyIsInvariantUnderRigidMotionAndZeroAtRest) {
  const auto [element, law, poisson] = GetParam();
  ElasticCase c(element, law, 1e-3, poisson, false);
  // Round-off only: 1e-13 of E V and of E times a face.
  EXPECT_NEAR(test::energy_of(c.law), 0, 1e-13 * 1e5 * 1e-9);
  EXPECT_LE(test::evaluate_law(c.law).gradient.cwiseAbs().maxCoeff(), 1e-13 * 1e5 * 1e-6);
  c.deform(0.1, 3);
  const double energy = test::energy_of(c.law);
  EXPECT_GT(energy, 0);
  if (traits_of(static_cast<ElasticLaw>(law)).lags_rotation) {
    // As long as the step starts there too. Within a step a turn of the whole has energy of fourth
    // order in its angle.
    const Mat3d R = to_matrix(rotation_by({{0.4, -0.7, 0.9}}));
    for (Vec3d& x : c.law.points.x) x = R * x + Vec3d{{0.01, -0.02, 0.03}};
    c.prepare();
    EXPECT_NEAR(test::energy_of(c.law), energy, 1e-9 * energy);
    ElasticCase still(element, law, 1e-3, poisson, false);
    double turned[2];
    for (const int k : {0, 1}) {
      const Mat3d S = to_matrix(rotation_by(Vec3d{{0.4, -0.7, 0.9}} * (k == 0 ? 0.02 : 0.01)));
      for (std::size_t v = 0; v < still.law.points.x.size(); ++v)
        still.law.points.x[v] = S * still.model.start[v];
      turned[k] = test::energy_of(still.law);
    }
    EXPECT_NEAR(turned[0] / turned[1], 16, 0.1);
    return;
  }
  if (traits_of(static_cast<ElasticLaw>(law)).rotation_invariant) {
    test::check_rigid_invariance(c.law);
    return;
  }
  // The linear law: translations, and rotations of the body at rest in their first order.
  for (std::size_t v = 0; v < c.law.points.x.size(); ++v)
    c.law.points.x[v] += cross(Vec3d{{0.4, -0.7, 0.9}}, c.model.start[v]) + Vec3d{{0.01, 0.02, 0}};
  EXPECT_NEAR(test::energy_of(c.law), energy, 1e-9 * energy);
  const Mat3d R = to_matrix(rotation_by({{0.4, -0.7, 0.9}}));
  for (std::size_t v = 0; v < c.law.points.x.size(); ++v) c.law.points.x[v] = R * c.model.start[v];
  EXPECT_GT(test::energy_of(c.law), 0.01 * 1e5 * 1e-9);
}

TEST_P(ElasticLaws, ATurnedStartIsAtRest) {
  const auto [element, law, poisson] = GetParam();
  ElasticCase c(element, law, 1e-3, poisson, false, rotation_by({{0.4, -0.7, 0.9}}));
  EXPECT_NEAR(test::energy_of(c.law), 0, 1e-13 * 1e5 * 1e-9);
  EXPECT_LE(test::evaluate_law(c.law).gradient.cwiseAbs().maxCoeff(), 1e-13 * 1e5 * 1e-6);
}

TEST_P(ElasticLaws, HessianAtRestIsThatOfEveryLaw) {
  const auto [element, law, poisson] = GetParam();
  ElasticCase c(element, law, 1e-3, poisson, false);
  ElasticCase linear(element, static_cast<int>(ElasticLaw::kLinear), 1e-3, poisson, false);
  const Eigen::MatrixXd h = test::evaluate_law(c.law).hessian,
                        expected = test::evaluate_law(linear.law).hessian;
  EXPECT_LE((h - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
}

TEST_P(ElasticLaws, EnergyScalesWithTheCubeOfTheUnitOfLength) {
  const auto [element, law, poisson] = GetParam();
  ElasticCase small(element, law, 1e-3, poisson, false), large(element, law, 1.0, poisson, false);
  small.deform(0.1, 7);
  large.deform(0.1, 7);
  EXPECT_NEAR(test::energy_of(small.law) * 1e9 / test::energy_of(large.law), 1, 1e-9);
}

TEST_P(ElasticLaws, TangentAtRestIsLinearElasticity) {
  const auto [element, law, poisson] = GetParam();
  ElasticCase c(element, law, 1e-3, poisson, false);
  // A uniform small strain: energy = V (mu e:e + lambda/2 tr(e)^2).
  const Mat3d e{{1e-5, 2e-5, 0, 2e-5, -3e-5, 1e-5, 0, 1e-5, 4e-5}};
  for (Vec3d& x : c.law.points.x) x += e * x;
  double volume = 0;
  for (double v : c.elements->tet_volume) volume += v;
  const Lame l = lame(1e5, poisson);
  const double expected = volume * (l.mu * inner(e, e) + 0.5 * l.lambda * square(trace(e)));
  EXPECT_NEAR(test::energy_of(c.law) / expected, 1, 2e-4);
}

TEST_P(ElasticLaws, DampingMatchesDifferencesAndIgnoresRigidVelocity) {
  const auto [element, law, poisson] = GetParam();
  ElasticCase c(element, law, 1e-3, poisson, true);
  c.deform(0.1, 11);
  StepContext step;
  step.points = &c.law.points;
  c.term->prepare(step);
  c.law.by_velocity = true;
  c.law.length = 1.0;
  Random random(5);
  for (Vec3d& u : c.law.points.u) u = random.vector();
  const double rate = test::energy_of(c.law);
  EXPECT_GT(rate, 0);
  c.law.step = 1e-3;
  test::check_derivatives(c.law);
  test::check_projection(c.law);
  for (std::size_t i = 0; i < c.law.points.u.size(); ++i)
    c.law.points.u[i] = cross(Vec3d{{3, -2, 1}}, c.law.points.x[i]) + Vec3d{{1, 2, 3}};
  EXPECT_LE(test::energy_of(c.law), 1e-12 * rate);
}

INSTANTIATE_TEST_SUITE_P(All, ElasticLaws,
                         testing::Combine(testing::Values(Element::kLinear, Element::kComposite),
                                          testing::Range(0, kElasticLawCount),
                                          testing::Values(-0.3, 0.3, 0.49)),
                         test::ParamName());

// What is frozen is also asked for slope and curvature along a line.
TEST(LinearCorotated, AlongALineSlopeAndCurvatureAreThoseOfTheHessian) {
  for (const Element element : {Element::kLinear, Element::kComposite}) {
    ElasticCase c(element, static_cast<int>(ElasticLaw::kLinearCorotated), 1e-3, 0.3, false);
    c.deform(0.1, 4);
    Random random(9);
    for (Vec3d& x : c.law.points.x) x += 1e-4 * random.vector();
    EXPECT_EQ(c.term->frozen(), element == Element::kLinear);
    test::check_along(c.law);
  }
}

TEST(ElasticKernel, ProjectionKeepsAPositiveTangent) {
  // Where nothing needs clamping, the projected tangent is the exact one.
  Random random(9);
  for (int i = 0; i < 50; ++i) {
    Mat3d F = Mat3d::identity();
    for (int k = 0; k < 9; ++k) F[k] += 0.05 * random();
    const Vec3d a = random.vector(), b = random.vector();
    const ShearTangent<double> exact(F, 1.0, 0.5, 0.1);
    const ProjectedTangent<double> projected(F, 1.0, 0.5, 0.1);
    const Mat3d d = exact.block(exact.node(a), exact.node(b)) -
                    projected.block(projected.node(a), projected.node(b));
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(d[k], 0, 1e-12);
  }
}

TEST(ElasticKernel, LanesEqualScalarsBitForBit) {
  using P = Pack<double, 8>;
  Random random(4);
  Mat3d F[8];
  Mat3<P> Fp;
  for (int l = 0; l < 8; ++l)
    for (int k = 0; k < 9; ++k) {
      F[l][k] = (k % 4 == 0 ? 1.0 : 0.0) + 0.2 * random();
      Fp[k].set(l, F[l][k]);
    }
  for (int law = 0; law < kElasticLawCount; ++law)
    with_law(static_cast<ElasticLaw>(law), [&](auto l) {
      using Wide = ElasticPoint<decltype(l), P>;
      using Plain = ElasticPoint<decltype(l), double>;
      const P s = Wide::measure(Fp);
      const Wide point(Fp, {P(2.0), P(0.5)}, s);
      const P energy = point.energy();
      const Mat3<P> stress = point.stress(P(0.3));
      for (int i = 0; i < 8; ++i) {
        const double si = Plain::measure(F[i]);
        const Plain one(F[i], {2.0, 0.5}, si);
        EXPECT_EQ(s[i], si);
        EXPECT_EQ(energy[i], one.energy()) << law;
        const Mat3d P1 = one.stress(0.3);
        for (int k = 0; k < 9; ++k) EXPECT_EQ(stress[k][i], P1[k]) << law;
      }
    });
  Vec3<P> s;
  Mat3<P> U, V;
  svd(Fp, U, s, V);
  for (int l = 0; l < 8; ++l) {
    Mat3d u, v;
    Vec3d d;
    svd(F[l], u, d, v);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(s[k][l], d[k]);
    for (int k = 0; k < 9; ++k) EXPECT_EQ(U[k][l], u[k]);
  }
}

TEST(InversionStep, NeverPassesTheRootOfTheVolume) {
  Random random(21);
  for (int i = 0; i < 2000; ++i) {
    Mat3d E = Mat3d::identity(), D;
    for (int k = 0; k < 9; ++k) {
      E[k] += 0.3 * random();
      D[k] = 3 * random();
    }
    if (det(E) <= 0.1) continue;
    const double a = inversion_step(E, D, 1.0);
    ASSERT_GT(a, 0);
    for (int k = 0; k <= 100; ++k) ASSERT_GE(det(E + D * (a * k / 100)), 0.1 * det(E) * (1 - 1e-9));
  }
}

}  // namespace
}  // namespace haptos
