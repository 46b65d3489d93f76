#include "haptos/contact/frozen/cloud/cloud_sampler.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/geometry/field/distance_field.h"

namespace haptos {
namespace {

std::vector<FrozenSurface> surfaces_of(const std::vector<CarriedShape>& shapes,
                                       const std::vector<CloudSurface>& clouds) {
  std::vector<FrozenSurface> all(shapes.begin(), shapes.end());
  // The points decide how stiff the contact is.
  for (FrozenSurface& s : all) s.stiffness = FrozenSurface::kRigid, s.modulus = 0;
  all.insert(all.end(), clouds.begin(), clouds.end());
  return all;
}

}  // namespace

CloudSampler::CloudSampler(std::vector<CarriedShape> shapes, std::vector<CloudSurface> clouds,
                           const std::vector<std::array<int, 2>>& excluded)
    : shapes_(std::move(shapes)),
      clouds_(std::move(clouds)),
      excluded_(shapes_.size() * clouds_.size(), 0) {
  for (const auto& [shape, cloud] : excluded)
    excluded_[at_index(shape) * clouds_.size() + at_index(cloud)] = 1;
}

void CloudSampler::sample(const StepContext& context, FrozenContact& contact) {
  const int shapes = static_cast<int>(shapes_.size()), clouds = static_cast<int>(clouds_.size());
  for (int c = 0; c < clouds; ++c) {
    clouds_[at_index(c)].cloud->begin(context);
    const CloudExtent extent(*clouds_[at_index(c)].cloud);
    for (int s = 0; s < shapes; ++s) {
      const CarriedShape& shape = shapes_[at_index(s)];
      if (!shape.field || excluded_[at_index(s * clouds + c)]) continue;
      const Pose pose = carried_pose(shape, context);
      find(context, c, s, pose, extent);
      give(context, c, s, pose, false, contact);
      give(context, c, s, pose, true, contact);
    }
  }
}

// The samples that find() left: those of points, or those of nodes.
void CloudSampler::give(const StepContext& context, int cloud, int shape, const Pose& pose,
                        bool of_nodes, FrozenContact& contact) {
  const std::vector<ContactSample>& samples = of_nodes ? nodes_.samples() : samples_;
  if (samples.empty()) return;
  const int shapes = static_cast<int>(shapes_.size()), clouds = static_cast<int>(clouds_.size());
  PairSamples pair;
  pair.pair = ((of_nodes ? clouds : 0) + cloud) * shapes + shape;
  pair.surface[0] = shapes + cloud, pair.surface[1] = shape;
  pair.sample = samples.data();
  pair.count = static_cast<int>(samples.size());
  pair.place[0] = of_nodes ? nodes_.places() : places_.data();
  pair.as_given = clouds_[at_index(cloud)].nodes == CloudSurface::kBehind && of_nodes;
  pair.yields = clouds_[at_index(cloud)].yields;
  pair.place[1] = carried_.find(shapes_[at_index(shape)], pose, samples, 1);
  contact.add(context, pair);
}

CloudExtent::CloudExtent(const Cloud& cloud) {
  for (int i = 0; i < cloud.size(); ++i) {
    box.merge(cloud.place(i));
    fastest = std::max(fastest, squared_norm(cloud.velocity(i)));
    widest = std::max(widest, cloud.radius(i));
  }
  fastest = sqrt(fastest);
}

// Samples of a pair, and their places in the cloud; the shape is at `pose`.
void CloudSampler::find(const StepContext& context, int cloud, int shape, const Pose& pose,
                        const CloudExtent& extent) {
  const Cloud& points = *clouds_[at_index(cloud)].cloud;
  const CarriedShape& s = shapes_[at_index(shape)];
  const Pose after = carried_pose_after(s, context, nullptr, pose);
  const Mat3d turn = to_matrix(pose.q);
  const double h = context.h, push = h * h * kPush;
  const auto speed = [&](const Vec3d& x) {
    if (s.link) return s.link->velocity(x);
    return s.points.valid() ? (after * to_local(pose, x) - x) * (1 / h) : Vec3d::zero();
  };
  // No point comes nearer than this in the step: the shape is fastest at a corner of their box.
  double fastest = 0;
  for (int k = 0; k < 8; ++k) {
    const Aabb& b = extent.box;
    const Vec3d corner = {
        {(k & 1 ? b.hi : b.lo)[0], (k & 2 ? b.hi : b.lo)[1], (k & 4 ? b.hi : b.lo)[2]}};
    fastest = std::max(fastest, norm(speed(corner)));
  }
  // The outermost layer of a liquid, to two radii, touches with the nodes behind it.
  const CloudSurface::Nodes nodes = clouds_[at_index(cloud)].nodes;
  const bool behind = nodes == CloudSurface::kBehind;
  const double most =
      h * (extent.fastest + fastest) * (1 + 1e-9) + push + (behind ? 2 : 1) * extent.widest;
  const Aabb near = s.field->box().inflated(most);
  samples_.clear(), touching_.clear(), nodes_.clear();
  const auto place = [&](int point) { return points.node_place(point); };
  Points::Part parts[Cloud::kMostParts];
  for (int i = 0; i < points.size(); ++i) {
    const Vec3d x = points.place(i), local = to_local(pose, x);
    if (s.field->bounded() && !near.contains(local)) continue;  // without asking how fast it is
    const Vec3d v = points.velocity(i) - speed(x);
    const double radius = points.radius(i);
    const double reach = std::max(h * norm(v) + push + radius, behind ? 2 * radius : 0);
    if (s.field->bounded() && !s.field->box().inflated(reach).contains(local)) continue;
    if (!(s.field->phi(local) < reach)) continue;
    const SignedDistance<double> at = s.field->at(local);
    const double slope = norm(at.gradient);
    if (!(slope > 0)) continue;
    ContactSample sample;
    sample.n = turn * (at.gradient * (1 / slope));
    if (behind && at.phi < 2 * radius)
      nodes_.add(parts, points.parts(i, Vec3d::zero(), parts), x, sample.n, at.phi, place);
    sample.gap = at.phi - radius;
    if (!(sample.gap + h * dot(sample.n, v) < push)) continue;
    sample.p_a = sample.p_b = x - radius * sample.n;
    sample.area = points.area(i, sample.n);
    if (!(sample.area > 0)) continue;  // faces away
    sample.feature_a = points.id(i);
    if (nodes == CloudSurface::kSummed) {
      nodes_.sum_up(parts, points.parts(i, Vec3d::zero(), parts), sample, place);
      continue;
    }
    samples_.push_back(sample);
    touching_.push_back(i);
  }
  nodes_.finish(behind ? points.cell() * points.cell() : 0,
                [&](int point) { return points.node_id(point); });
  // The points of a liquid move as their middles do.
  place_samples(points, touching_, behind, samples_, parts_, places_);
}

void place_samples(const Cloud& points, const std::vector<int>& touching, bool middles,
                   std::vector<ContactSample>& samples, std::vector<Points::Part>& parts,
                   std::vector<SamplePlace>& places) {
  const std::size_t n = samples.size();
  parts.resize(n * Cloud::kMostParts), places.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    ContactSample& sample = samples[k];
    sample.share = 1.0 / static_cast<double>(n);
    Points::Part* to = parts.data() + k * Cloud::kMostParts;
    const Vec3d aside = middles ? Vec3d::zero() : sample.p_a - points.place(touching[k]);
    places[k] = {to, points.parts(touching[k], aside, to), true};
  }
}

CloudContact::CloudContact(const std::vector<CarriedShape>& shapes,
                           const std::vector<CloudSurface>& clouds,
                           const std::vector<std::array<int, 2>>& excluded,
                           const PointContactOptions& law)
    : FrozenContact(surfaces_of(shapes, clouds), law,
                    std::make_unique<CloudSampler>(shapes, clouds, excluded)) {}

}  // namespace haptos
