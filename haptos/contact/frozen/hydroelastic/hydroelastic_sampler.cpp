#include "haptos/contact/frozen/hydroelastic/hydroelastic_sampler.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/contact/frozen/hydroelastic/merge_patches.h"
#include "haptos/geometry/collide/pairs.h"
#include "haptos/geometry/shape/shape_bounds.h"

namespace haptos {
namespace {

// What the laws know of the surfaces: a pressure is a modulus, and what has none is rigid.
std::vector<FrozenSurface> surfaces_of(const std::vector<PressedShape>& shapes) {
  std::vector<FrozenSurface> all(shapes.begin(), shapes.end());
  for (FrozenSurface& s : all) s.modulus = s.hydroelastic, s.stiffness = FrozenSurface::kRigid;
  return all;
}

double modulus_of(const PressedShape& s) {
  return s.hydroelastic > 0 ? s.hydroelastic : FrozenSurface::kRigid;
}

}  // namespace

HydroelasticSampler::HydroelasticSampler(std::vector<PressedShape> shapes,
                                         std::vector<std::array<int, 2>> excluded, int most_samples)
    : shapes_(std::move(shapes)), excluded_(std::move(excluded)), most_samples_(most_samples) {
  for (auto& [i, j] : excluded_)
    if (i > j) std::swap(i, j);
  std::sort(excluded_.begin(), excluded_.end());
}

bool HydroelasticSampler::may_touch(int i, int j) const {
  const PressedShape &a = shapes_[at_index(i)], &b = shapes_[at_index(j)];
  if (!meet_by_pressure(a, b) || a.link == b.link) return false;
  if (!a.field->bounded() && !b.field->bounded()) return false;
  if (a.link && b.link && a.link->env() != b.link->env()) return false;
  return !std::binary_search(excluded_.begin(), excluded_.end(), std::array<int, 2>{i, j});
}

void HydroelasticSampler::sample(const StepContext& context, FrozenContact& contact) {
  const auto n = shapes_.size();
  pose_.resize(n), box_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const PressedShape& s = shapes_[i];
    pose_[i] = s.link ? compose(s.link->pose(), s.frame) : s.frame;
    if (!s.field) {
      box_[i] = Aabb();
    } else if (s.field->bounded()) {
      box_[i] = moved_bounds(s.field->box(), pose_[i]);
    } else {
      constexpr double kFar = 1e30;
      box_[i] = {{{-kFar, -kFar, -kFar}}, {{kFar, kFar, kFar}}};
    }
  }
  broad_phase_.pairs(
      box_, 0.0, [this](int i, int j) { return may_touch(i, j); }, pairs_);
  if (found_.size() < pairs_.size()) found_.resize(pairs_.size());
  for_each(
      static_cast<std::ptrdiff_t>(pairs_.size()),
      [&](std::ptrdiff_t k) {
        static thread_local PressureSurface surface;
        static thread_local PatchMerge merge;
        const auto [i, j] = pairs_[at_index(k)];
        std::vector<ContactSample>& samples = found_[at_index(k)];
        samples.clear();
        find(i, j, surface, samples);
        merge.merge(samples, to_matrix(pose_[at_index(i)].q), most_samples_);
      },
      1);
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    if (found_[k].empty()) continue;
    PairSamples pair;
    pair.pair = static_cast<int>(k);
    pair.surface[0] = pairs_[k][0], pair.surface[1] = pairs_[k][1];
    pair.sample = found_[k].data();
    pair.count = static_cast<int>(found_[k].size());
    pair.as_given = true;
    contact.add(context, pair);
  }
}

// The patches of a pair as samples.
void HydroelasticSampler::find(int i, int j, PressureSurface& surface,
                               std::vector<ContactSample>& out) const {
  const PressedShape &a = shapes_[at_index(i)], &b = shapes_[at_index(j)];
  const double ka = modulus_of(a), kb = modulus_of(b);
  surface.find({a.field.get(), pose_[at_index(i)], ka}, {b.field.get(), pose_[at_index(j)], kb});
  const double series = 1 / (1 / ka + 1 / kb);
  const auto& patches = surface.patches();
  for (const PressurePatch& p : patches) {
    ContactSample s;
    s.n = p.n;
    s.gap = -p.pressure / p.stiffness;
    s.p_a = p.point + (0.5 * s.gap) * p.n, s.p_b = p.point - (0.5 * s.gap) * p.n;
    s.share = 1.0 / static_cast<double>(patches.size());
    s.area = p.area;
    s.stiffer = p.stiffness / series;
    s.feature_a = feature_id(ShapeFeature::kSurface) ^ p.cell;
    s.feature_b = feature_id(ShapeFeature::kSurface);
    out.push_back(s);
  }
}

HydroelasticContact::HydroelasticContact(const std::vector<PressedShape>& shapes,
                                         const PointContactOptions& law,
                                         std::vector<std::array<int, 2>> excluded)
    : FrozenContact(
          surfaces_of(shapes), law,
          std::make_unique<HydroelasticSampler>(shapes, std::move(excluded), law.most_samples)) {}

}  // namespace haptos
