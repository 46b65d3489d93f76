// Frozen contact at places that several points move: derivatives by the unknowns of all of them,
// and forces that are shared out by the weights.
#include <memory>
#include <vector>

#include "haptos/bodies/stiff/rigid_body.h"
#include "haptos/contact/frozen/frozen_contact.h"
#include "tests/laws/unknowns_suite.h"

namespace haptos {
namespace {

// Loose particles, a block each.
class Particles final : public Body {
 public:
  Particles(const BodySlots& slots, Points& points, std::vector<Vec3d> x, double mass)
      : Body(slots), x_(std::move(x)), mass_(mass) {
    for (std::size_t k = 0; k < x_.size(); ++k)
      points_.push_back(
          points.add_node(slots.first_block + static_cast<int>(k), slots.body, slots.env, x_[k]));
  }
  int point(int k) const { return points_[static_cast<std::size_t>(k)]; }
  std::vector<int> block_sizes() const override { return std::vector<int>(x_.size(), 3); }
  int q_count() const override { return 0; }
  void initialize(State&) const override {}
  void begin_step(const State&, const BodyStep& step) override {
    for (std::size_t k = 0; k < x_.size(); ++k)
      for (int r = 0; r < 3; ++r)
        (*step.mass)[static_cast<std::size_t>(slots_.first_mass) + 9 * k +
                     static_cast<std::size_t>(4 * r)] = mass_ * static_cast<double>(k + 1);
  }
  void advance(const std::vector<double>&, const BodyStep&, State&) override {}

 private:
  std::vector<Vec3d> x_;
  double mass_;
  std::vector<int> points_;
};

// One sample, always.
class OneSample final : public ContactSampler {
 public:
  PairSamples pair;
  ContactSample sample_;
  std::vector<Points::Part> part[2];
  SamplePlace place[2];

  const char* name() const override { return "one sample"; }
  void sample(const StepContext& context, FrozenContact& contact) override {
    pair.sample = &sample_;
    pair.count = 1;
    for (int k = 0; k < 2; ++k) {
      if (part[k].empty()) continue;
      place[k] = {part[k].data(), static_cast<int>(part[k].size())};
      pair.place[k] = &place[k];
    }
    contact.add(context, pair);
  }
};

RigidBodySpec block_spec() {
  RigidBodySpec spec;
  spec.mass = 0.2;
  spec.inertia = solid_sphere_inertia(0.2, 0.05);
  spec.pose.p = {{0.02, 0.01, -0.05}};
  return spec;
}

// 27 particles of a grid against a body: weights of quadratic splines, as a particle's contact has.
struct GridOnBody {
  test::UnknownsCase scene{1e-2};
  Particles* grid = nullptr;
  std::unique_ptr<LinkOf<RigidBody>> link;
  std::unique_ptr<FrozenContact> term;
  std::vector<Points::Part> parts;
  std::vector<double> z;

  explicit GridOnBody(PointLaw law, bool shared = false) {
    std::vector<Vec3d> x;
    x.reserve(27);
    for (int k = 0; k < 27; ++k) {
      const int row = k / 3 % 3, layer = k / 9;
      x.push_back({{0.01 * (k % 3), 0.01 * row, 0.01 * layer}});
    }
    grid = scene.add(std::make_unique<Particles>(scene.next_slots(), scene.points(), x, 1e-3));
    link = std::make_unique<LinkOf<RigidBody>>(
        scene.add(std::make_unique<RigidBody>(scene.next_slots(), block_spec())));
    const double w[3] = {0.125, 0.75, 0.125};
    for (int k = 0; k < 27; ++k)
      parts.push_back({grid->point(k), w[k % 3] * w[k / 3 % 3] * w[k / 9]});
    auto sampler = std::make_unique<OneSample>();
    sampler->part[0] = parts;
    if (shared) sampler->part[1] = {parts.begin(), parts.begin() + 3};
    sampler->pair.surface[0] = 0;
    sampler->pair.surface[1] = 1;
    sampler->sample_.p_a = {{0.01, 0.01, 0.0099}};
    sampler->sample_.p_b = {{0.01, 0.01, 0.01}};
    sampler->sample_.n = normalized(Vec3d{{0.1, -0.2, 1}});
    sampler->sample_.gap = -1e-4;
    FrozenSurface soft, stiff;
    soft.body = 0;
    soft.env = 0;
    soft.stiffness = 1e4;
    soft.friction = 0.5;
    stiff = soft;
    if (!shared) stiff.link = link.get();
    PointContactOptions options;
    options.law = static_cast<int>(law);
    options.anchored = false;
    options.stiction_speed = 1e-2;
    term = std::make_unique<FrozenContact>(std::vector<FrozenSurface>{soft, stiff}, options,
                                           std::move(sampler));
    z.assign(27 * 3 + 6, 0.0);
    for (std::size_t k = 0; k < z.size(); ++k) z[k] = 0.05 * std::sin(1.7 * static_cast<double>(k));
    scene.prepare(term.get(), z);
  }
};

TEST(FrozenPlaces, DerivativesByAllNodesOfAGridAndTheBodyMatchDifferences) {
  for (const PointLaw law :
       {PointLaw::kSap, PointLaw::kLagged, PointLaw::kSimilar, PointLaw::kCoulomb})
    for (const double slide : {0.0, 2.0}) {
      SCOPED_TRACE(static_cast<int>(law));
      GridOnBody g(law);
      for (std::size_t k = 0; k < 27; ++k) g.z[3 * k] += slide, g.z[3 * k + 2] -= 0.4;
      g.scene.check(g.z, 1e-6, 1e-6, 1e-4);
      EXPECT_GT(g.term->report().load, 0);
    }
}

TEST(FrozenPlaces, TwoPlacesThatShareNodesHaveTheRightHessian) {
  GridOnBody g(PointLaw::kSap, true);
  for (std::size_t k = 0; k < 27; ++k) g.z[3 * k + 2] -= 0.4;
  g.scene.check(g.z, 1e-6, 1e-6, 1e-4);
  EXPECT_GT(g.term->report().load, 0);
}

TEST(FrozenPlaces, AnImpulseIsSharedOutByTheWeights) {
  GridOnBody g(PointLaw::kSap);
  for (std::size_t k = 0; k < 27; ++k) g.z[3 * k + 2] -= 0.4;
  const auto v = g.scene.evaluate(g.z);
  Vec3d total = Vec3d::zero();
  for (Eigen::Index k = 0; k < 27; ++k)
    for (int r = 0; r < 3; ++r) total[r] += v.gradient[3 * k + r];
  for (Eigen::Index k = 0; k < 27; ++k)
    for (int r = 0; r < 3; ++r)
      EXPECT_NEAR(v.gradient[3 * k + r], g.parts[static_cast<std::size_t>(k)].weight * total[r],
                  1e-15 * norm(total));
  // The body feels the opposite.
  for (int r = 0; r < 3; ++r) EXPECT_NEAR(v.gradient[81 + r], -total[r], 1e-15 * norm(total));
  EXPECT_NEAR(norm(total), g.term->report().load * 1e-2, 1e-12);
}

// Friction of the cone, then of a lagged force, which may be another, be taken back, or be done
// without.
TEST(FrozenPlaces, WhatIsLaggedIsSetUndoneAndDropped) {
  GridOnBody g(PointLaw::kCoulomb);
  for (std::size_t k = 0; k < 27; ++k) g.z[3 * k] += 2, g.z[3 * k + 2] -= 0.4;
  const auto force = [&] {
    const auto v = g.scene.evaluate(g.z);
    return Vec3d{{v.gradient[81], v.gradient[82], v.gradient[83]}} * (1 / 1e-2);
  };
  const Vec3d n = normalized(Vec3d{{0.1, -0.2, 1}});
  const auto across = [&](const Vec3d& f) { return norm(f - n * dot(f, n)); };
  const Vec3d cone = force();
  std::vector<LagRow> rows;
  Lagged* lagged = g.term->lagged();
  lagged->renew_lags(g.scene.points(), rows);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(norm(rows[0].used), 0);
  EXPECT_NEAR(norm(rows[0].now), std::abs(dot(cone, n)), 1e-12 * norm(cone));
  EXPECT_NEAR(across(force()), 0.5 * norm(rows[0].now), 1e-9 * norm(cone));
  rows[0].next = rows[0].now * 0.25;
  rows[0].known = false;
  const Vec3d renewed = force();
  lagged->set_lags(rows);
  EXPECT_EQ(norm(force() - renewed), 0);
  rows[0].known = true;
  lagged->set_lags(rows);
  EXPECT_NEAR(across(force()), 0.5 * norm(rows[0].next), 1e-9 * norm(cone));
  lagged->undo_lags();
  EXPECT_EQ(norm(force() - cone), 0);
  lagged->renew_lags(g.scene.points(), rows);
  lagged->drop_lags();
  EXPECT_EQ(norm(force() - cone), 0);
}

// Twelve unknowns: origin and axes.
class AffineBlock final : public Body {
 public:
  AffineBlock(const BodySlots& slots, Points& points, const std::vector<Vec3d>& local)
      : Body(slots) {
    for (const Vec3d& x : local)
      points_.push_back(points.add_affine(slots.first_block, slots.body, slots.env, x, x));
  }
  int point(int k) const { return points_[static_cast<std::size_t>(k)]; }
  std::vector<int> block_sizes() const override { return {12}; }
  int q_count() const override { return 0; }
  void initialize(State&) const override {}
  void begin_step(const State&, const BodyStep& step) override {
    for (std::size_t i = 0; i < 12; ++i) (*step.mass)[13 * i] = i < 3 ? 0.2 : 1e-5;
  }
  void advance(const std::vector<double>&, const BodyStep&, State&) override {}

 private:
  std::vector<int> points_;
};

Eigen::VectorXd gradient_of_corner(PointLaw law, bool as_sum) {
  test::UnknownsCase scene(1e-2);
  const std::vector<Vec3d> corners = {
      {{0.03, 0, 0}}, {{0, 0.03, 0}}, {{0, 0, 0.03}}, {{0.01, 0.01, 0.01}}};
  const auto* body =
      scene.add(std::make_unique<AffineBlock>(scene.next_slots(), scene.points(), corners));
  auto sampler = std::make_unique<OneSample>();
  if (as_sum)
    for (int k = 0; k < 3; ++k) sampler->part[0].push_back({body->point(k), 1.0 / 3});
  else
    sampler->part[0].push_back({body->point(3), 1});
  sampler->pair.surface[0] = 0;
  sampler->pair.surface[1] = 1;
  sampler->sample_.p_a = sampler->sample_.p_b = {{0.01, 0.01, 0.01}};
  sampler->sample_.n = {{0, 0, 1}};
  sampler->sample_.gap = -1e-4;
  FrozenSurface soft, world;
  soft.env = 0;
  soft.friction = world.friction = 0.5;
  PointContactOptions options;
  options.law = static_cast<int>(law);
  options.anchored = false;
  FrozenContact term({soft, world}, options, std::move(sampler));
  std::vector<double> z(12);
  for (std::size_t k = 0; k < z.size(); ++k) z[k] = 0.1 * std::sin(1.7 * static_cast<double>(k));
  z[2] = -0.4;
  scene.prepare(&term, z);
  return scene.evaluate(z).gradient;
}

// The middle of three corners of one body is a point of that body: as rigid, and as fast.
TEST(FrozenPlaces, ASumOfPointsOfOneBodyIsThePointInTheirMiddle) {
  for (const PointLaw law : {PointLaw::kSap, PointLaw::kLagged}) {
    const Eigen::VectorXd one = gradient_of_corner(law, false), sum = gradient_of_corner(law, true);
    EXPECT_GT(one.norm(), 0);
    EXPECT_LT((one - sum).norm(), 1e-12 * one.norm());
  }
}

TEST(FrozenPlaces, ASurfaceOfPointsHasToGiveItsStiffness) {
  FrozenSurface soft;
  soft.env = 0;
  soft.stiffness = FrozenSurface::kAuto;
  EXPECT_THROW(FrozenContact({soft}, {}, std::make_unique<OneSample>()), InputError);
  soft.modulus = 1e7;  // says nothing where a sample has no area
  EXPECT_THROW(FrozenContact({soft}, {}, std::make_unique<OneSample>()), InputError);
  soft.stiffness = 1e4;
  EXPECT_NO_THROW(FrozenContact({soft}, {}, std::make_unique<OneSample>()));
}

}  // namespace
}  // namespace haptos
