// The damping of soft bodies over a step of finite length; that it is a proper term at h = 0 is in
// test_elastic_laws.cpp.
#include "haptos/bodies/elastic/damping.h"
#include "haptos/geometry/make/pads.h"
#include "tests/laws/law_suite.h"
#include "tests/param_names.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::LawCase;
using test::Random;

struct DampingCase {
  LawCase law;
  SoftModel model;
  std::shared_ptr<SoftElements> elements;
  std::unique_ptr<Term> term;
  double h, b;
  std::vector<Vec3d> before;  // one step before the start, for BDF2

  // w: 0 for implicit Euler, 1/3 for BDF2.
  DampingCase(Element element, double poisson, double step, double w = 0)
      : h(step), b(w > 0 ? step * 2 / 3 : step) {
    SoftBody body;
    body.name = "b";
    BoxPadShape shape;
    shape.width = shape.depth = shape.thickness = 2e-3;
    body.mesh = box_pad(shape, 1, 1, 1).mesh;
    body.element = element;
    body.material.poisson = poisson;
    body.material.stiffness_damping = 0.01;
    model = compile_soft(body);
    Random random(4);
    int block = 0;
    for (const Vec3d& x : model.start)
      law.points.add_node(block++, 0, 0, x + 1e-4 * random.vector());
    law.points.finish_permanent();
    law.points.x_start = law.points.x_base = law.points.x;
    for (std::size_t p = 0; p < law.points.x.size(); ++p) {
      const Vec3d& x = law.points.x[p];
      before.push_back(to_matrix(rotation_by({{0.2, 0.1, -0.3}})) * x);
      if (w > 0) law.points.x_base[p] += w * (x - before[p]);
    }
    elements = std::make_shared<SoftElements>(law.points, model, 0, body.material);
    term = make_damping_term(elements);
    law.term = term.get();
    law.by_velocity = true;
    StepContext c;
    c.h = h;
    c.b = b;
    c.w = w;
    c.points = &law.points;
    term->prepare(c);
  }
};

class DampingLaw : public testing::TestWithParam<std::tuple<Element, double>> {};

TEST_P(DampingLaw, GradientAndHessianMatchDifferencesOverALongStep) {
  DampingCase c(std::get<0>(GetParam()), std::get<1>(GetParam()), 0.01);
  Random random(5);
  for (Vec3d& u : c.law.points.u) u = 0.02 * random.vector();  // 10 % of an edge per step
  c.law.length = 1.0;
  c.law.step = 1e-6;
  test::check_derivatives(c.law);
  test::check_projection(c.law);
}

TEST_P(DampingLaw, AFiniteTurnInOneStepDissipatesNothing) {
  DampingCase c(std::get<0>(GetParam()), std::get<1>(GetParam()), 0.01);
  Random random(6);
  for (Vec3d& u : c.law.points.u) u = 0.02 * random.vector();
  const double rate = test::energy_of(c.law);
  EXPECT_GT(rate, 0);
  const Mat3d R = to_matrix(rotation_by({{0.5, -0.8, 0.3}}));
  for (std::size_t p = 0; p < c.law.points.u.size(); ++p) {
    const Vec3d& x = c.law.points.x_start[p];
    c.law.points.u[p] = (R * x + Vec3d{{1e-3, 0, 2e-3}} - x) * (1 / c.h);
  }
  EXPECT_LE(test::energy_of(c.law), 1e-20 * rate);
  EXPECT_LE(test::evaluate_law(c.law).gradient.cwiseAbs().maxCoeff(), 1e-12);
}

TEST_P(DampingLaw, ForcesHaveNoMomentAboutThePositionsAtTheEndOfTheStep) {
  DampingCase c(std::get<0>(GetParam()), std::get<1>(GetParam()), 0.01);
  Random random(7);
  for (Vec3d& u : c.law.points.u) u = 0.02 * random.vector();
  const test::LawValues v = test::evaluate_law(c.law);
  Vec3d force = Vec3d::zero(), moment = Vec3d::zero();
  double force_scale = 0, moment_scale = 0;
  for (int p = 0; p < c.law.points.size(); ++p) {
    const auto i = static_cast<std::size_t>(p);
    const Vec3d x = c.law.points.x_start[i] + c.h * c.law.points.u[i];
    const Vec3d f{{v.gradient[3 * p], v.gradient[3 * p + 1], v.gradient[3 * p + 2]}};
    force += f;
    moment += cross(x, f);
    force_scale += norm(f);
    moment_scale += norm(cross(x, f));
  }
  EXPECT_LE(norm(force), 1e-13 * force_scale);
  EXPECT_LE(norm(moment), 1e-13 * moment_scale);
}

TEST_P(DampingLaw, IsTheSameLawUnderBdf2AndTurnsStillDissipateNothing) {
  DampingCase c(std::get<0>(GetParam()), std::get<1>(GetParam()), 0.01, 1.0 / 3);
  Random random(8);
  for (Vec3d& u : c.law.points.u) u = 0.02 * random.vector();
  c.law.length = 1.0;
  c.law.step = 1e-6;
  const double rate = test::energy_of(c.law);
  test::check_derivatives(c.law);
  test::check_projection(c.law);
  // Three positions that are turns of one shape: the second difference of its strain is none.
  const Mat3d R = to_matrix(rotation_by({{0.5, -0.8, 0.3}}));
  for (std::size_t p = 0; p < c.law.points.u.size(); ++p) {
    const Vec3d end = R * c.law.points.x_start[p] + Vec3d{{1e-3, 0, 2e-3}};
    c.law.points.u[p] = (end - c.law.points.x_base[p]) * (1 / c.b);
  }
  EXPECT_LE(test::energy_of(c.law), 1e-20 * rate);
}

INSTANTIATE_TEST_SUITE_P(All, DampingLaw,
                         testing::Combine(testing::Values(Element::kLinear, Element::kComposite),
                                          testing::Values(0.3, 0.49)),
                         test::ParamName());

}  // namespace
}  // namespace haptos
