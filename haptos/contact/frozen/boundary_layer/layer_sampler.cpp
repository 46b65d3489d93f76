#include "haptos/contact/frozen/boundary_layer/layer_sampler.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/contact/frozen/link_speed.h"
#include "haptos/contact/frozen/notes.h"

namespace haptos {
namespace {

// Samples reach at least this far beyond the layers [m].
constexpr double kReach = 1e-5;
// Depth over R from which on contact gets stiffer, and how much stiffer it gets at most.
constexpr double kHalf = 0.5, kStiffest = 1e6;
// Of normals, over areas: below this part of them they have no direction in common.
constexpr double kAgree = 0.2;
// Part of R that a pair may move from where its samples were found.
constexpr double kStill = 2e-4;
// How much farther samples may reach than they need to.
constexpr double kFar = 8;

Aabb intersection(Aabb a, const Aabb& b) {
  for (int k = 0; k < 3; ++k) {
    a.lo[k] = std::max(a.lo[k], b.lo[k]);
    a.hi[k] = std::min(a.hi[k], b.hi[k]);
  }
  return a;
}

}  // namespace

LayerSampler::LayerSampler(std::vector<LayeredShape> shapes,
                           std::vector<std::array<int, 2>> excluded, int most_samples)
    : shapes_(std::move(shapes)), excluded_(std::move(excluded)), most_samples_(most_samples) {
  for (auto& [i, j] : excluded_)
    if (i > j) std::swap(i, j);
  std::sort(excluded_.begin(), excluded_.end());
  broad_phase_.keep_allowed(static_cast<int>(shapes_.size()),
                            [this](int i, int j) { return may_touch(i, j); });
}

bool LayerSampler::may_touch(int i, int j) const {
  const LayeredShape &a = shapes_[at_index(i)], &b = shapes_[at_index(j)];
  if (!(a.layer + b.layer > 0) || a.link == b.link || meet_by_pressure(a, b)) return false;
  if (a.link && b.link && a.link->env() != b.link->env()) return false;
  return !std::binary_search(excluded_.begin(), excluded_.end(), std::array<int, 2>{i, j});
}

// Where every shape is, and its box as far as it may reach in the step.
void LayerSampler::place(double h, double free_time) {
  const auto n = shapes_.size();
  pose_.resize(n), box_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const LayeredShape& s = shapes_[i];
    pose_[i] = s.link ? compose(s.link->pose(), s.frame) : s.frame;
    const Mat3d r = to_matrix(pose_[i].q);
    const Aabb& own = s.core.soup->box();
    const Vec3d middle = r * own.centre() + pose_[i].p, half = own.extent() * 0.5;
    Vec3d reach;
    for (int k = 0; k < 3; ++k)
      reach[k] = vabs(r(k, 0)) * half[0] + vabs(r(k, 1)) * half[1] + vabs(r(k, 2)) * half[2];
    box_[i] = Aabb::of(middle - reach, middle + reach);
    const double speed = largest_speed(s.link, box_[i]);
    box_[i].inflate(s.width() + 2 * h * speed + kReach + 2 * free_time * free_time * kPush);
  }
}

void LayerSampler::sample(const StepContext& context, FrozenContact& contact) {
  const double h = context.h, pushed = 4 * square(contact.free_time()) * kPush;
  place(h, contact.free_time());
  revisions_ = arrived_ = crossing_ = crossed_ = 0;
  notes_.clear();
  broad_phase_.pairs(
      box_, 0.0, [this](int i, int j) { return may_touch(i, j); }, pairs_);
  stand_.assign(pairs_.size(), Stand::kAhead);
  merged_.assign(pairs_.size(), 0);
  find_samples(context, pushed);
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const auto [i, j] = pairs_[k];
    const LayeredShape &a = shapes_[at_index(i)], &b = shapes_[at_index(j)];
    samples_.swap(found_[k].samples);
    const bool crossed = found_[k].crossed;
    if (found_[k].still) {
      ContactMemory m[StillPlace::kNotes];
      found_[k].place.write(m);
      notes_.push_back({key(i, j, kLayerPlace), m[0]});
      notes_.push_back({key(i, j, kLayerTurn), m[1]});
    }
    for (const ContactSample& c : samples_)
      if (c.gap <= 0) stand_[k] = Stand::kTouches;
    const double slow = contact.options().parting_speed;
    const double left = parting_of(context, i, j, crossed) - slow * h;
    if (left > 0) {
      for (ContactSample& c : samples_) c.gap += left;
      ContactMemory m;
      m.edge = left;
      notes_.push_back({key(i, j, kLayerParting), m});
    }
    const Vec3d side = side_of(context, i, j, crossed);
    stiffen(a, b, h, a.width() + b.width());
    if (crossed) {
      ++crossed_;
      part(surface(i, pose_[at_index(i)]), surface(j, pose_[at_index(j)]), side,
           slow * (h + std::max(a.relaxation_time, b.relaxation_time)));
    }
    if (!samples_.empty()) add(context, k, contact);
    samples_.swap(found_[k].samples);  // its memory is for the next step
  }
}

int LayerSampler::merged() const {
  return static_cast<int>(std::count(merged_.begin(), merged_.end(), 1));
}

// Of every pair its samples and whether its cores cross: what costs most, on all threads.
void LayerSampler::find_samples(const StepContext& context, double pushed) {
  if (found_.size() < pairs_.size()) found_.resize(pairs_.size());
  const auto count = static_cast<std::ptrdiff_t>(pairs_.size());
  // What moves along with the other one comes no nearer. What gets faster within the step and so
  // reaches further is met on its way (layer_arrivals.cpp) or in the next step.
  reach_.resize(pairs_.size());
  for_each(
      count,
      [&](std::ptrdiff_t k) {
        const auto [i, j] = pairs_[at_index(k)];
        const Aabb shared = intersection(box_[at_index(i)], box_[at_index(j)]);
        const double moves =
            context.h * largest_speed(shapes_[at_index(i)].link, shapes_[at_index(j)].link, shared);
        Found& found = found_[at_index(k)];
        reach_[at_index(k)] = kReach + pushed + moves;
        place_still(context, i, j, moves, reach_[at_index(k)], found);
      },
      16);
  still_.begin(), far_.begin();
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const auto [i, j] = pairs_[k];
    found_[k].gone = &far_.of(i, j);
    if (found_[k].still) found_[k].carried = &still_.of(i, j);
  }
  still_.end(), far_.end();
  for_each(
      count,
      [&](std::ptrdiff_t k) {
        static thread_local LayerContacts contacts;
        const auto [i, j] = pairs_[at_index(k)];
        Found& found = found_[at_index(k)];
        const double reach = reach_[at_index(k)];
        found.samples.clear();
        found.crossed = false;
        const auto look_again = [&] { found.gone->near = !found.samples.empty(); };
        found.far = !found.known && is_far(i, j, reach, *found.gone, contacts);
        if (found.far) {
          found.still = false;
          return;
        }
        const LayerSurface a = surface(i, pose_[at_index(i)]), b = surface(j, pose_[at_index(j)]);
        if (found.still) {
          found.carried->find(a, b, found.place, contacts);
          found.still = found.carried->usable;
        }
        if (found.still) {
          found.carried->carry(a, b, reach, found.samples);
          return look_again();
        }
        contacts.find(a, b, reach, found.samples);
        found.crossed = contacts.crosses(a, b);
        look_again();
      },
      1);
}

// A shape as another one sees it.
Pose LayerSampler::seen(int i, int j) const {
  return seen_from(pose_[at_index(j)], pose_[at_index(i)]);
}

// How far i has moved at most, as seen from j, or j as seen from i: what of the larger one is
// beyond the smaller one does not matter.
double LayerSampler::moved(int i, int j, const Pose& from) const {
  const Quat back = conjugate(from.q);
  const Pose other{-(to_matrix(back) * from.p), back};
  return std::min(largest_move(shapes_[at_index(i)].core.soup->box(), from, seen(i, j)),
                  largest_move(shapes_[at_index(j)].core.soup->box(), other, seen(j, i)));
}

// Whether nothing of a pair is within reach.
bool LayerSampler::is_far(int i, int j, double reach, FarPlace& far,
                          LayerContacts& contacts) const {
  const double whole = shapes_[at_index(i)].width() + shapes_[at_index(j)].width();
  const double little = kStill * whole;
  if (far.clear > 0 && reach + little + moved(i, j, far.pose) < far.clear) return true;
  far.clear = 0;
  if (far.near) return false;  // looking twice would cost more than it saves
  const LayerSurface a = surface(i, pose_[at_index(i)]), b = surface(j, pose_[at_index(j)]);
  for (const double more : {whole, 0.2 * whole}) {
    if (!contacts.apart(a, b, whole + reach + more)) continue;
    far.pose = seen(i, j), far.clear = reach + more;
    return true;
  }
  return false;
}

// Where the samples of a pair may be taken from, if it hardly moves: where they were, as long as it
// is hardly away from there, or where it is.
void LayerSampler::place_still(const StepContext& context, int i, int j, double moves, double reach,
                               Found& found) const {
  const LayeredShape &a = shapes_[at_index(i)], &b = shapes_[at_index(j)];
  const double little = kStill * (a.width() + b.width());
  found.known = false;
  found.still = moves <= little;
  if (!found.still) return;
  if (context.history) {
    const auto first = context.history->find(key(i, j, kLayerPlace)),
               second = context.history->find(key(i, j, kLayerTurn));
    if (first != context.history->end() && second != context.history->end()) {
      found.place = StillPlace::read(first->second, second->second);
      const double kept = found.place.reach;
      found.known =
          kept <= kFar * reach && reach + little <= kept && moved(i, j, found.place.pose) <= little;
      if (found.known) return;
    }
  }
  found.place = {seen(i, j), 2 * (reach + little)};
}

// Makes contacts of samples_, which are those of a pair.
void LayerSampler::add(const StepContext& context, std::size_t k, FrozenContact& contact) {
  if (reduction_.reduce(samples_, most_samples_)) merged_[k] = 1;
  const auto [i, j] = pairs_[k];
  PairSamples pair;
  pair.pair = static_cast<int>(k);
  pair.surface[0] = i, pair.surface[1] = j;
  pair.sample = samples_.data();
  pair.count = static_cast<int>(samples_.size());
  pair.core = shapes_[at_index(i)].width() + shapes_[at_index(j)].width();
  contact.add(context, pair);
}

// Shapes may have the same numbers in contact of points.
FeaturePair LayerSampler::key(int i, int j, std::int32_t note) const {
  FeaturePair k = bodies_of(shapes_[at_index(i)], shapes_[at_index(j)]);
  k.part_a = k.part_b = note;
  k.feature_a = i, k.feature_b = j;
  return k;
}

// How much of an overlap that no motion made is left to part: of the start of a run, or of bodies
// that were put into each other. The law does not see that much of it.
double LayerSampler::parting_of(const StepContext& context, int i, int j, bool crossed) const {
  double deepest = 0, most = 0;
  for (const ContactSample& s : samples_) deepest = std::max(deepest, -s.gap);
  if (context.step == 0) {
    most = deepest;
  } else if (context.history) {
    const auto note = context.history->find(key(i, j, kLayerParting));
    if (note != context.history->end()) most = note->second.edge;
  }
  if (!crossed) return std::min(most, deepest);
  return std::max(deepest, shapes_[at_index(i)].width() + shapes_[at_index(j)].width());
}

void LayerSampler::remember(ContactHistory& next) const {
  std::vector<ContactHistory::Entry> notes(notes_);
  std::sort(notes.begin(), notes.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  next.merge(notes);
}

// The direction from j to i, world, by the samples, or of what has crossed by those of the last
// step before: 0 where they point all ways or there were none. It turns with j.
Vec3d LayerSampler::side_of(const StepContext& context, int i, int j, bool crossed) {
  const Mat3d turn = to_matrix(pose_[at_index(j)].q);
  const FeaturePair own = key(i, j, kLayerSide);
  Vec3d side = Vec3d::zero();
  if (!crossed) {
    double all = 0;
    for (const ContactSample& s : samples_) side += s.area * s.n, all += s.area;
    if (!(norm(side) > kAgree * all)) return Vec3d::zero();
    side = normalized(side);
  } else if (context.history) {
    const auto note = context.history->find(own);
    if (note == context.history->end()) return side;
    side = turn * note->second.anchor;
  }
  ContactMemory m;
  m.anchor = transpose(turn) * side;
  notes_.push_back({own, m});
  return side;
}

// What overlaps beyond the layers sees as much of it as is parted within the step: back to the side
// that it was on, where that is known.
void LayerSampler::part(const LayerSurface& a, const LayerSurface& b, const Vec3d& away,
                        double depth) {
  const bool known = squared_norm(away) > 0;
  if (known) std::erase_if(samples_, [&](const ContactSample& s) { return dot(s.n, away) <= 0; });
  const std::size_t first = samples_.size();
  if (known)
    contacts_.find_crossed(a, b, away, samples_);
  else
    contacts_.find_crossed(a, b, samples_);
  for (std::size_t k = first; k < samples_.size(); ++k) samples_[k].gap = -depth;
}

// What is deep, or will be, so that cores stay apart.
void LayerSampler::stiffen(const LayeredShape& a, const LayeredShape& b, double h, double whole) {
  for (ContactSample& s : samples_) {
    double closing = 0;
    if (a.link) closing -= dot(a.link->velocity(s.p_a), s.n);
    if (b.link) closing += dot(b.link->velocity(s.p_b), s.n);
    const double left = (whole + s.gap - h * std::max(closing, 0.0)) / whole;
    if (left >= kHalf) continue;
    const double more = kHalf / std::max(left, 1e-3);
    s.stiffer = std::min(more * more * more, kStiffest);
  }
}

}  // namespace haptos
