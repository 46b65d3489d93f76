// Boundary-layer contact of two rough bodies: energy, gradient and Hessian by the bodies' unknowns,
// over hundreds of samples of faces, edges and corners, and over those that they merge to.
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "haptos/bodies/stiff/rigid_body.h"
#include "haptos/contact/frozen/boundary_layer/layer_sampler.h"
#include "tests/laws/unknowns_suite.h"
#include "tests/unit/layer_cases.h"

namespace haptos {
namespace {

constexpr double kWidth = 2e-3;

// A cube of .1 m cut into 12 n^2 triangles; its vertices moved by up to `rough`.
std::shared_ptr<const TriangleSoup> rough_cube(int n, double rough, unsigned seed) {
  TriMesh m = cut_cube(0.1, n, 0.2, seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-rough, rough);
  for (Vec3d& x : m.vertices)
    for (int k = 0; k < 3; ++k) x[k] += any(random);
  return std::make_shared<TriangleSoup>(m);
}

// One on the other, 1.5 mm into their layers.
struct Rough {
  test::UnknownsCase scene{2e-3};
  std::vector<std::unique_ptr<Link>> links;
  std::unique_ptr<LayerContact> term;
  std::vector<double> z = std::vector<double>(12, 0.0);

  Rough(PointLaw law, int most_samples, double modulus, double friction = 0.6) {
    std::vector<LayeredShape> shapes;
    for (int k = 0; k < 2; ++k) {
      RigidBodySpec spec;
      spec.mass = 0.5 + k;
      spec.inertia = solid_sphere_inertia(spec.mass, 0.06);
      spec.pose = {{{0.01 * k, 0, k * (0.1 + 2 * kWidth - 1.5e-3)}},
                   rotation_by({{0, 0.002 * k, 0.4 * k}})};
      links.push_back(std::make_unique<LinkOf<RigidBody>>(
          scene.add(std::make_unique<RigidBody>(scene.next_slots(), spec))));
      LayeredShape s;
      s.link = links.back().get();
      s.core = {rough_cube(5 + k, 3e-4, static_cast<unsigned>(7 + k)), 0};
      s.layer = kWidth;
      s.friction = friction;
      s.stiffness = 1e5;
      s.modulus = modulus;
      shapes.push_back(s);
    }
    PointContactOptions options;
    options.law = static_cast<int>(law);
    options.anchored = false;
    options.stiction_speed = 1e-2;
    options.most_samples = most_samples;
    term = std::make_unique<LayerContact>(shapes, options);
    for (std::size_t k = 0; k < z.size(); ++k) z[k] = 0.02 * std::sin(1.7 * static_cast<double>(k));
    z[2] += 0.2, z[8] -= 0.2;  // towards each other
    scene.prepare(term.get(), z);
  }
  std::size_t contacts() {
    scene.evaluate(z);
    StepContext context;
    context.h = 2e-3;
    term->commit(context, scene.points());
    return term->contacts().size();
  }
};

TEST(LayerTerm, DerivativesOfRoughBodiesMatchDifferences) {
  for (const PointLaw law :
       {PointLaw::kSap, PointLaw::kLagged, PointLaw::kSimilar, PointLaw::kCoulomb})
    for (const double modulus : {0.0, 1e9})
      for (const int most : {0, 40}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(law) << " " << modulus << " " << most);
        Rough r(law, most, modulus);
        r.scene.check(r.z, 1e-7, 1e-5, 1e-3);
        EXPECT_GT(r.term->report().load, 1);
        EXPECT_GT(r.contacts(), most > 0 ? 5u : 100u);
      }
}

TEST(LayerTerm, DerivativesWhileTheySlideMatchDifferences) {
  for (const PointLaw law :
       {PointLaw::kSap, PointLaw::kLagged, PointLaw::kSimilar, PointLaw::kCoulomb}) {
    SCOPED_TRACE(static_cast<int>(law));
    Rough r(law, 0, 1e9);
    r.z[0] += 1, r.z[7] -= 2;
    r.scene.check(r.z, 1e-7, 1e-5, 1e-3);
    EXPECT_GT(r.term->report().load, 1);
  }
}

// What one body feels the other one gives. Without friction, which acts on what is only near at
// the start of the step where it will meet, on each surface.
TEST(LayerTerm, ForcesAndTorquesOfTheTwoSidesBalance) {
  Rough r(PointLaw::kCoulomb, 0, 1e9, 0);
  const auto v = r.scene.evaluate(r.z);
  const double size = v.gradient.cwiseAbs().maxCoeff();
  EXPECT_GT(size, 0);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(v.gradient[k] + v.gradient[6 + k], 0, 1e-12 * size);
  const auto at = [&](int first) {
    return Vec3d{{v.gradient[first], v.gradient[first + 1], v.gradient[first + 2]}};
  };
  const Vec3d torque =
      at(3) + at(9) + cross(r.links[0]->pose().p, at(0)) + cross(r.links[1]->pose().p, at(6));
  EXPECT_LT(norm(torque), 1e-10 * size);
}

}  // namespace
}  // namespace haptos
