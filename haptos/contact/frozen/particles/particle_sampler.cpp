#include "haptos/contact/frozen/particles/particle_sampler.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/carried_pose.h"
#include "haptos/geometry/field/distance_field.h"
#include "haptos/geometry/shape/shape_bounds.h"

namespace haptos {
namespace {

std::vector<FrozenSurface> surfaces_of(const std::vector<TouchedShape>& shapes,
                                       const std::vector<CloudSurface>& clouds) {
  std::vector<FrozenSurface> all(shapes.begin(), shapes.end());
  // The points decide how stiff the contact is.
  for (FrozenSurface& s : all) s.stiffness = FrozenSurface::kRigid, s.modulus = 0;
  all.insert(all.end(), clouds.begin(), clouds.end());
  return all;
}

}  // namespace

ParticleSampler::ParticleSampler(std::vector<TouchedShape> shapes, std::vector<CloudSurface> clouds,
                                 const std::vector<std::array<int, 2>>& excluded)
    : shapes_(std::move(shapes)),
      clouds_(std::move(clouds)),
      excluded_(shapes_.size() * clouds_.size(), 0) {
  for (const auto& [shape, cloud] : excluded)
    excluded_[at_index(shape) * clouds_.size() + at_index(cloud)] = 1;
}

void ParticleSampler::sample(const StepContext& context, FrozenContact& contact) {
  const int shapes = static_cast<int>(shapes_.size()), clouds = static_cast<int>(clouds_.size());
  for (int c = 0; c < clouds; ++c)
    for (int s = 0; s < shapes; ++s) {
      if (!shapes_[at_index(s)].field || excluded_[at_index(s * clouds + c)]) continue;
      find(context, c, s);
      if (samples_.empty()) continue;
      PairSamples pair;
      pair.pair = c * shapes + s;
      pair.surface[0] = shapes + c, pair.surface[1] = s;
      pair.sample = samples_.data();
      pair.count = static_cast<int>(samples_.size());
      pair.place[0] = places_[0].data();
      if (shapes_[at_index(s)].points.valid()) pair.place[1] = places_[1].data();
      contact.add(context, pair);
    }
}

// Samples of a pair, and the parts of their places.
void ParticleSampler::find(const StepContext& context, int cloud, int shape) {
  const Cloud& points = *clouds_[at_index(cloud)].cloud;
  const TouchedShape& s = shapes_[at_index(shape)];
  const Pose pose = carried_pose(s, s.frame, s.points, context);
  const Pose after = carried_pose_after(s, s.frame, s.points, context, nullptr, pose);
  const Mat3d turn = to_matrix(pose.q);
  const double h = context.h, push = h * h * kPush;
  const auto speed = [&](const Vec3d& x) {
    if (s.link) return s.link->velocity(x);
    return s.points.valid() ? (after * to_local(pose, x) - x) * (1 / h) : Vec3d::zero();
  };
  samples_.clear(), touching_.clear();
  for (int i = 0; i < points.size(); ++i) {
    const Vec3d x = points.place(i), local = to_local(pose, x);
    const Vec3d v = points.velocity(i) - speed(x);
    const double radius = points.radius(i), reach = h * norm(v) + push + radius;
    if (s.field->bounded() && !s.field->box().inflated(reach).contains(local)) continue;
    if (!(s.field->phi(local) < reach)) continue;
    const SignedDistance<double> at = s.field->at(local);
    const double slope = norm(at.gradient);
    if (!(slope > 0)) continue;
    ContactSample sample;
    sample.n = turn * (at.gradient * (1 / slope));
    sample.gap = at.phi - radius;
    if (!(sample.gap + h * dot(sample.n, v) < push)) continue;
    sample.p_a = x - radius * sample.n, sample.p_b = x - at.phi * sample.n;
    sample.area = points.area(i);
    sample.feature_a = points.id(i);
    samples_.push_back(sample);
    touching_.push_back(i);
  }
  const std::size_t n = samples_.size();
  parts_.resize(n * Cloud::kMostParts), carried_.resize(n);
  for (auto& place : places_) place.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    ContactSample& sample = samples_[k];
    sample.share = 1.0 / static_cast<double>(n);
    Points::Part* parts = parts_.data() + k * Cloud::kMostParts;
    places_[0][k] = {
        parts, points.parts(touching_[k], sample.p_a - points.place(touching_[k]), parts), true};
    if (!s.points.valid()) continue;
    const Vec3d x = sample.gap < 0 ? 0.5 * (sample.p_a + sample.p_b) : sample.p_b;
    carried_[k] = s.points.parts(to_local(pose, x));
    places_[1][k] = {carried_[k].data(), 4};
  }
}

ParticleContact::ParticleContact(const std::vector<TouchedShape>& shapes,
                                 const std::vector<CloudSurface>& clouds,
                                 const std::vector<std::array<int, 2>>& excluded,
                                 const PointContactOptions& law)
    : FrozenContact(surfaces_of(shapes, clouds), law,
                    std::make_unique<ParticleSampler>(shapes, clouds, excluded)) {}

}  // namespace haptos
