#include "haptos/contact/frozen/hydroelastic/hydroelastic_sampler.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/contact/frozen/hydroelastic/merge_patches.h"
#include "haptos/contact/frozen/hydroelastic/pressed_side.h"
#include "haptos/geometry/collide/pairs.h"
#include "haptos/geometry/shape/shape_bounds.h"

namespace haptos {
namespace {

// What the laws know of the surfaces: a pressure is a modulus, and what has none is rigid.
std::vector<FrozenSurface> surfaces_of(const std::vector<CarriedShape>& shapes) {
  std::vector<FrozenSurface> all(shapes.begin(), shapes.end());
  for (FrozenSurface& s : all)
    s.modulus = s.hydroelastic.modulus(), s.stiffness = FrozenSurface::kRigid;
  return all;
}

}  // namespace

HydroelasticSampler::HydroelasticSampler(std::vector<CarriedShape> shapes,
                                         std::vector<std::array<int, 2>> excluded,
                                         const PointContactOptions& law)
    : shapes_(std::move(shapes)),
      excluded_(std::move(excluded)),
      most_samples_(law.most_samples),
      patch_cells_(law.patch_cells) {
  for (auto& [i, j] : excluded_)
    if (i > j) std::swap(i, j);
  std::sort(excluded_.begin(), excluded_.end());
  broad_phase_.keep_allowed(static_cast<int>(shapes_.size()),
                            [this](int i, int j) { return may_touch(i, j); });
}

bool HydroelasticSampler::may_touch(int i, int j) const {
  const CarriedShape &a = shapes_[at_index(i)], &b = shapes_[at_index(j)];
  // Of two that no link carries neither gives way.
  if (!meet_by_pressure(a, b) || a.link == b.link) return false;
  if (!a.field->bounded() && !b.field->bounded()) return false;
  if (a.moves() && b.moves() && a.in_env() != b.in_env()) return false;
  return !std::binary_search(excluded_.begin(), excluded_.end(), std::array<int, 2>{i, j});
}

// Poses and boxes at the start of the step, and boxes of what is swept in it.
void HydroelasticSampler::place(const StepContext& context) {
  const auto n = shapes_.size();
  h_ = context.h;
  pose_.resize(n), box_.resize(n);
  for (std::size_t i = 0; i < n; ++i) pose_[i] = carried_pose(shapes_[i], context);
  const auto box = [&](std::size_t i, const Pose& pose) {
    constexpr double kFar = 1e30;
    const DistanceField* field = shapes_[i].field.get();
    if (!field) return Aabb();
    return field->bounded() ? moved_bounds(field->box(), pose)
                            : Aabb{{{-kFar, -kFar, -kFar}}, {{kFar, kFar, kFar}}};
  };
  for (std::size_t i = 0; i < n; ++i) box_[i] = box(i, pose_[i]);
  move(context, context.z);
  swept_ = box_;
  for (std::size_t i = 0; i < n; ++i)
    if (shapes_[i].moves() && shapes_[i].field) swept_[i].merge(box(i, after_[i]));
}

void HydroelasticSampler::sample(const StepContext& context, FrozenContact& contact) {
  place(context);
  broad_phase_.pairs(
      swept_, context.z ? kPush * h_ * h_ : 0, [this](int i, int j) { return may_touch(i, j); },
      pairs_);
  if (pair_.size() < pairs_.size()) pair_.resize(pairs_.size());
  for_each(
      static_cast<std::ptrdiff_t>(pairs_.size()),
      [&](std::ptrdiff_t k) {
        static thread_local PressureSurface surface;
        const auto [i, j] = pairs_[at_index(k)];
        Pair& pair = pair_[at_index(k)];
        pair.shape[0] = i, pair.shape[1] = j;
        pair.depth = 0, pair.t = -1, pair.clear = -1, pair.unclear = Aabb::kInf;
        pair.past_middle = pair.merged = false;
        pair.sample.clear();
        if (!box_[at_index(i)].overlaps(box_[at_index(j)])) return;
        if (context.z && clears(pair, travel(pair), surface)) return;
        find(pair, pose_[at_index(i)], pose_[at_index(j)], surface);
        pair.depth = surface.depth(), pair.past_middle = surface.past_middle();
      },
      1);
  revisions_ = 0;
  if (context.z) look_ahead(*context.z);
  for (std::size_t k = 0; k < pairs_.size(); ++k) add(context, contact, static_cast<int>(k));
}

int HydroelasticSampler::past_middle() const {
  int count = 0;
  for (std::size_t k = 0; k < pairs_.size(); ++k) count += pair_[k].past_middle;
  return count;
}

int HydroelasticSampler::merged() const {
  int count = 0;
  for (std::size_t k = 0; k < pairs_.size(); ++k) count += pair_[k].merged;
  return count;
}

void HydroelasticSampler::add(const StepContext& context, FrozenContact& contact, int pair) {
  const Pair& p = pair_[at_index(pair)];
  if (p.sample.empty()) return;
  PairSamples samples;
  samples.pair = pair;
  samples.surface[0] = p.shape[0], samples.surface[1] = p.shape[1];
  samples.sample = p.sample.data();
  samples.count = static_cast<int>(p.sample.size());
  samples.as_given = true;
  for (int side = 0; side < 2; ++side) {
    const auto i = at_index(p.shape[side]);
    samples.place[side] = places_[side].find(shapes_[i], pose_[i], p.sample, side);
  }
  contact.add(context, samples);
}

// The patches of a pair as samples.
void HydroelasticSampler::find(Pair& pair, const Pose& pose_a, const Pose& pose_b,
                               PressureSurface& surface) const {
  static thread_local PatchMerge merge;
  const CarriedShape &a = shapes_[at_index(pair.shape[0])], &b = shapes_[at_index(pair.shape[1])];
  const PressureSurface::Side side_a = pressed_side(a, pose_a), side_b = pressed_side(b, pose_b);
  surface.cells_across = patch_cells_;
  surface.find(side_a, side_b);
  const double series = 1 / (1 / side_a.modulus + 1 / side_b.modulus);
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
    pair.sample.push_back(s);
  }
  pair.merged = merge.merge(pair.sample, to_matrix(pose_a.q), most_samples_);
}

HydroelasticContact::HydroelasticContact(const std::vector<CarriedShape>& shapes,
                                         const PointContactOptions& law,
                                         std::vector<std::array<int, 2>> excluded)
    : FrozenContact(surfaces_of(shapes), law,
                    std::make_unique<HydroelasticSampler>(shapes, std::move(excluded), law)) {}

}  // namespace haptos
