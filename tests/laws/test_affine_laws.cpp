// The whole objective of two affine bodies in barrier contact, one of which carries soft elements,
// by differences: points of affine bodies, their blocks, and the orthogonality potential.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "haptos/bodies/elastic/elastic.h"
#include "haptos/bodies/elastic/soft_model.h"
#include "haptos/bodies/stiff/affine_frame.h"
#include "haptos/contact/live/barrier/barrier_term.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/solve/objective/objective.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kStep = 0.01;  // h [s]

// Two blocks of 10 mm, the upper one turned and within the support of the lower one; a gel of which
// the base is glued to the upper one.
class AffineLaws : public ::testing::Test {
 protected:
  void SetUp() override {
    const TriMesh mesh = box({{0.01, 0.01, 0.01}}, {{2, 2, 2}});
    Pose upper;
    upper.p = {{0.002, 0.001, 0.0102}};
    upper.q = rotation_by({{0.01, -0.02, 0.4}});
    add_frame(mesh, {}, 0);
    add_frame(mesh, upper, 1);
    const Pad pad = box_pad({.width = 0.006, .depth = 0.006, .thickness = 0.004}, 1, 1, 1);
    SoftBody gel;
    gel.name = "gel";
    gel.mesh = pad.mesh;
    gel.pose.p = {{0.002, 0.001, 0.0202}};
    gel.glue = {{"upper", pad.base_vertices}};
    soft_ = compile_soft(gel);
    int block = 2, first = -1;
    for (std::size_t v = 0; v < soft_.start.size(); ++v) {
      const int p = soft_.glued_to[v] >= 0
                        ? frames_[1]->add_point(points_, to_local(upper, soft_.start[v]))
                        : points_.add_node(block++, 2, 0, soft_.start[v]);
      if (v == 0) first = p;
    }
    auto elements = std::make_shared<SoftElements>(points_, soft_, first, gel.material);
    terms_.push_back(make_elastic_term(elements, ElasticLaw::kLogNeoHookean));
    LiveSetup setup;
    setup.support = 1e-3;
    setup.stiffness = 1e8;
    terms_.push_back(make_barrier_term(surfaces_[1].get(), surfaces_[0].get(), setup));
    points_.finish_permanent();
    std::vector<int> sizes = {12, 12};
    sizes.resize(static_cast<std::size_t>(block), 3);
    std::vector<Term*> terms;
    for (const auto& t : terms_) terms.push_back(t.get());
    const auto scalars = std::size_t{24} + 3 * (static_cast<std::size_t>(block) - 2);
    objective_.build(sizes, std::vector<char>(scalars, 0), &points_, terms);
    State state;
    state.q.assign(24, 0.0);
    state.z.assign(24, 0.0);
    BodyStep step;
    step.h = step.b = kStep;
    step.points = &points_;
    step.mass = &objective_.inertia().mass;
    step.z_free = &objective_.inertia().z_free;
    step.z_past = &objective_.inertia().z_past;
    step.z_hold = &objective_.inertia().z_hold;
    step.length = &objective_.inertia().length;
    for (auto& f : frames_) {
      f->initialize(state);
      f->begin_step(state, step);
    }
    StepContext c;
    c.h = c.b = kStep;
    c.points = &points_;
    objective_.begin_step(c);
    for (auto& t : terms_) t->prepare(c);
  }

  void add_frame(const TriMesh& mesh, const Pose& pose, int k) {
    BodySlots slots;
    slots.body = k;
    slots.first_block = k;
    slots.first_scalar = slots.first_q = 12 * k;
    slots.first_mass = 144 * k;
    AffineFrameSpec spec;
    spec.moments = spec.own = solid_moments(mesh, 1000);
    spec.volume = 1e-6;
    spec.stiffness = 1e4;
    spec.pose = pose;
    frames_.push_back(std::make_unique<AffineFrame>(slots, spec));
    std::vector<int> p;
    for (const Vec3d& x : mesh.vertices) p.push_back(frames_.back()->add_point(points_, x));
    surfaces_.push_back(std::make_unique<ContactSurface>(mesh, p, k, 0, false));
    terms_.push_back(make_orthogonality_term(frames_.back().get()));
  }

  // Velocities that strain the blocks by some percent and move points by some hundredths of the
  // support.
  std::vector<double> velocities(unsigned seed) {
    test::Random random(seed);
    std::vector<double> z;
    for (int i = 0; i < objective_.scalar_count(); ++i) {
      const bool axis = i < 24 && i % 12 >= 3;
      z.push_back((axis ? 1.0 : 2e-3) * random());
    }
    return z;
  }

  Points points_;
  SoftModel soft_;
  std::vector<std::unique_ptr<AffineFrame>> frames_;
  std::vector<std::unique_ptr<ContactSurface>> surfaces_;
  std::vector<std::unique_ptr<Term>> terms_;
  Objective objective_;
};

TEST_F(AffineLaws, GradientAndHessianOfTheObjectiveMatchDifferences) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const std::vector<double> z = velocities(seed);
    objective_.set_trial(z, 1);
    ASSERT_LT(objective_.smallest_gap(), 1e-3);
    objective_.assemble(true, false, 0);
    const std::vector<double> g = objective_.assembly().gradient();
    const int n = objective_.scalar_count();
    Eigen::MatrixXd H(n, n);
    for (int i = 0; i < n; ++i) {
      std::vector<double> unit(z.size(), 0.0), y(z.size());
      unit[static_cast<std::size_t>(i)] = 1;
      objective_.assembly().matrix().multiply(unit.data(), y.data());
      for (int j = 0; j < n; ++j) H(j, i) = y[static_cast<std::size_t>(j)];
    }
    double scale = 0, worst = 0, worst_hessian = 0;
    for (double v : g) scale = std::max(scale, std::abs(v));
    for (int i = 0; i < n; ++i) {
      const bool axis = i < 24 && i % 12 >= 3;
      const double d = axis ? 1e-5 : 1e-7;
      std::vector<double> up = z, down = z;
      up[static_cast<std::size_t>(i)] += d;
      down[static_cast<std::size_t>(i)] -= d;
      objective_.set_trial(up, 1);
      const double e1 = objective_.energy().value;
      objective_.assemble(false, false, 0);
      const std::vector<double> g1 = objective_.assembly().gradient();
      objective_.set_trial(down, 1);
      const double e0 = objective_.energy().value;
      objective_.assemble(false, false, 0);
      const std::vector<double>& g0 = objective_.assembly().gradient();
      worst = std::max(worst, std::abs((e1 - e0) / (2 * d) - g[static_cast<std::size_t>(i)]));
      Eigen::VectorXd column(n);
      for (int j = 0; j < n; ++j)
        column[j] = (g1[static_cast<std::size_t>(j)] - g0[static_cast<std::size_t>(j)]) / (2 * d);
      worst_hessian = std::max(worst_hessian, (column - H.col(i)).norm() / H.col(i).norm());
    }
    EXPECT_LE(worst, 1e-6 * scale);
    EXPECT_LE(worst_hessian, 1e-4);
  }
}

TEST_F(AffineLaws, ProjectedHessianIsPositiveDefiniteWhereThePlainOneIsNot) {
  // Squeezed axes: the orthogonality potential is not convex.
  std::vector<double> z = velocities(4);
  for (int i : {3, 7, 11}) z[static_cast<std::size_t>(i)] = -30;
  objective_.set_trial(z, 1);
  std::vector<double> dz;
  objective_.assemble(true, false, 0);
  EXPECT_FALSE(objective_.solve(dz));
  objective_.assemble(true, true, 0);
  EXPECT_TRUE(objective_.solve(dz));
}

TEST_F(AffineLaws, OrthogonalityFeelsNoRigidMotion) {
  State state;
  state.q.assign(24, 0.0);
  state.z.assign(24, 0.0);
  frames_[1]->initialize(state);
  Evaluation e;
  std::vector<double> z(static_cast<std::size_t>(objective_.scalar_count()), 0.0);
  e.z = &z;
  e.points = &points_;
  EXPECT_LE(terms_[1]->evaluate(e).value, 1e-24);
  // A turn about x by .8 rad as velocities: z = (R - 1) c / b.
  const Mat3d turn = to_matrix(rotation_by({{0.8, 0, 0}}));
  for (int k = 1; k < 4; ++k) {
    const double* c = frames_[1]->base() + 3 * k;
    const Vec3d axis{{c[0], c[1], c[2]}}, d = (turn * axis - axis) * (1 / kStep);
    for (int r = 0; r < 3; ++r)
      z[12 + 3 * static_cast<std::size_t>(k) + static_cast<std::size_t>(r)] = d[r];
  }
  EXPECT_LE(terms_[1]->evaluate(e).value, 1e-24);
}

}  // namespace
}  // namespace haptos
