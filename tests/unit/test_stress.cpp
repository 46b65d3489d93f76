#include <gtest/gtest.h>

#include "haptos/bodies/elastic/elastic.h"
#include "haptos/bodies/soft/stress.h"
#include "tests/support.h"

namespace haptos {
namespace {

struct Case {
  SoftModel model;
  Points points;
  std::shared_ptr<SoftElements> elements;
  std::unique_ptr<Term> term;
};

Case make(Element element, int law, double poisson) {
  Case c;
  SoftBody body;
  body.name = "b";
  body.mesh.vertices = {{{0, 0, 0}},
                        {{1e-3, 0, 0}},
                        {{0.1e-3, 0.9e-3, 0}},
                        {{0.2e-3, 0.2e-3, 0.8e-3}},
                        {{0.9e-3, 0.8e-3, 0.7e-3}}};
  body.mesh.tets = {{{0, 1, 2, 3}}, {{1, 4, 2, 3}}};
  body.element = element;
  body.material.young = 1e5;
  body.material.poisson = poisson;
  body.material.law = law;
  if (traits_of(static_cast<ElasticLaw>(law)).second_invariant) body.material.mooney_ratio = 0.4;
  c.model = compile_soft(body);
  // The body's points need not be the first.
  for (int i = 0; i < 3; ++i) c.points.add_node(i, 0, 0, Vec3d::zero());
  int block = 3;
  for (const Vec3d& x : c.model.start) c.points.add_node(block++, 0, 0, x);
  c.points.finish_permanent();
  c.elements = std::make_shared<SoftElements>(c.points, c.model, 3, body.material);
  c.term = make_elastic_term(c.elements, static_cast<ElasticLaw>(law));
  return c;
}

// sum_a f_a x_a^T of the elastic forces, which is int sigma dV.
Mat3d virial(Case& c) {
  const int n = c.points.size();
  Assembly assembly;
  assembly.reset(std::make_shared<BlockPattern>(std::vector<int>(static_cast<std::size_t>(n), 3)));
  assembly.begin(c.points, false, nullptr);
  assembly.set_factors(1, 1);
  Evaluation e;
  e.points = &c.points;
  e.assembly = &assembly;
  c.points.x_start = c.points.x;
  StepContext start;
  start.points = &c.points;
  c.term->prepare(start);
  c.term->refresh(c.points, Sampling::kAnew);
  c.term->evaluate(e);
  Mat3d sum = Mat3d::zero();
  for (int p = 0; p < n; ++p)
    sum += outer(assembly.point_gradient()[static_cast<std::size_t>(p)],
                 c.points.x[static_cast<std::size_t>(p)]);
  return sum;
}

std::vector<Vec3d> own_points(const Case& c) { return {c.points.x.begin() + 3, c.points.x.end()}; }

TEST(Stress, OfAHomogeneousDeformationIsThatOfTheForcesEverywhereForEveryLaw) {
  const Mat3d F =
      columns<double>({{1.1, 0.05, -0.02}}, {{-0.03, 0.93, 0.04}}, {{0.06, 0.02, 1.04}});
  for (const Element element : {Element::kComposite, Element::kLinear})
    for (int law = 0; law < kElasticLawCount; ++law) {
      Case c = make(element, law, 0.4);
      const bool linear = static_cast<ElasticLaw>(law) == ElasticLaw::kLinear;
      for (std::size_t v = 0; v < c.model.start.size(); ++v)
        c.points.x[v + 3] = F * c.model.start[v];
      double volume = 0;
      for (double V : c.elements->volume) volume += V;
      // The linear law's forces belong to the body at rest.
      Mat3d expected = virial(c);
      if (linear) expected = expected * transpose(inverse(F));
      expected = expected * (1 / (volume * (linear ? 1 : det(F))));
      const SoftStress s =
          cauchy_stress(*c.elements, c.elements->lame_parameters, c.model, own_points(c));
      ASSERT_EQ(s.element.size(), 2u);
      const double scale = std::sqrt(inner(expected, expected));
      EXPECT_GT(scale, 1e3);
      for (const auto* list : {&s.element, &s.node})
        for (const Mat3d& m : *list) {
          const Mat3d d = m - expected;
          EXPECT_LE(std::sqrt(inner(d, d)), 1e-9 * scale) << law;
          const Mat3d skew_part = m - transpose(m);
          EXPECT_LE(std::sqrt(inner(skew_part, skew_part)), 1e-9 * scale) << law;
        }
    }
}

TEST(Stress, ARigidMotionHasNone) {
  for (const Element element : {Element::kComposite, Element::kLinear}) {
    Case c = make(element, 0, 0.48);
    const Mat3d R = to_matrix(rotation_by({{0.3, -0.7, 1.1}}));
    for (std::size_t v = 0; v < c.model.start.size(); ++v)
      c.points.x[v + 3] = R * c.model.start[v] + Vec3d{{1e-3, 2e-3, 3e-3}};
    for (const Mat3d& m :
         cauchy_stress(*c.elements, c.elements->lame_parameters, c.model, own_points(c)).node)
      EXPECT_LE(von_mises(m), 1e-6);
  }
}

TEST(Stress, VonMisesOfUniaxialTensionAndOfShear) {
  Mat3d s = Mat3d::zero();
  s(0, 0) = 5;
  EXPECT_NEAR(von_mises(s), 5, 1e-12);
  for (int i = 0; i < 3; ++i) s(i, i) -= 7;
  EXPECT_NEAR(von_mises(s), 5, 1e-12);
  s = Mat3d::zero();
  s(0, 1) = s(1, 0) = 2;
  EXPECT_NEAR(von_mises(s), 2 * std::sqrt(3.0), 1e-12);
}

}  // namespace
}  // namespace haptos
