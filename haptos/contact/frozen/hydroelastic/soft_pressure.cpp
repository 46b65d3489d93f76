#include "haptos/contact/frozen/hydroelastic/soft_pressure.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/hydroelastic/looks.h"
#include "haptos/contact/frozen/hydroelastic/pressed_side.h"
#include "haptos/contact/frozen/link_speed.h"
#include "haptos/geometry/collide/pairs.h"
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/system/point_velocity.h"

namespace haptos {
namespace {

// A motion by a smaller part of what overlaps changes nothing.
constexpr double kStill = 0.02;
// Tetrahedra may push with a part of the whole force that their contacts do not know of.
constexpr double kUnknown = 0.02;

std::vector<FrozenSurface> surfaces_of(const std::vector<CarriedShape>& shapes,
                                       const std::vector<PressedBody>& bodies) {
  std::vector<FrozenSurface> all(shapes.begin(), shapes.end());
  all.insert(all.end(), bodies.begin(), bodies.end());
  for (FrozenSurface& s : all)
    s.modulus = s.hydroelastic.modulus(), s.stiffness = FrozenSurface::kRigid;
  return all;
}

}  // namespace

SoftPressureSampler::SoftPressureSampler(std::vector<CarriedShape> shapes,
                                         std::vector<PressedBody> bodies,
                                         const std::vector<std::array<int, 2>>& excluded)
    : shapes_(std::move(shapes)), bodies_(std::move(bodies)) {
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
      const std::array<int, 2> both{static_cast<int>(s), static_cast<int>(b)};
      if (!shapes_[s].field || std::find(excluded.begin(), excluded.end(), both) != excluded.end())
        continue;
      Pair& pair = pairs_.emplace_back();
      pair.shape = both[0], pair.body = both[1];
    }
}

// Poses and vertices where the step starts.
void SoftPressureSampler::place(const StepContext& context) {
  pose_.clear(), moved_.resize(bodies_.size());
  for (const CarriedShape& s : shapes_) pose_.push_back(carried_pose(s, context));
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    Moved& m = moved_[b];
    m.start.clear(), m.box = Aabb();
    for (const int p : bodies_[b].points) {
      m.start.push_back(context.points->x_start[at_index(p)]);
      m.box.merge(m.start.back());
    }
  }
}

// How all of it moves in the step with the velocities z.
void SoftPressureSampler::move(const StepContext& context, const std::vector<double>* z) {
  const Points& points = *context.points;
  after_.clear();
  for (std::size_t s = 0; s < shapes_.size(); ++s)
    after_.push_back(carried_pose_after(shapes_[s], context, z, pose_[s]));
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    Moved& m = moved_[b];
    m.way.clear(), m.farthest = 0;
    for (const int p : bodies_[b].points) {
      Vec3d way = points.way(p);
      if (z && !points.driven(p))
        way = context.h * internal::velocity(points, *context.pattern, p, *z);
      m.way.push_back(way);
      m.farthest = std::max(m.farthest, squared_norm(way));
    }
    m.farthest = sqrt(m.farthest);
  }
}

void SoftPressureSampler::sample(const StepContext& context, FrozenContact& contact) {
  place(context);
  move(context, context.z);
  revisions_ = 0;
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    find(pairs_[k], 0);
    if (context.z) look_ahead(pairs_[k]);
    add(context, contact, static_cast<int>(k));
  }
}

bool SoftPressureSampler::revise(const StepContext& context, const std::vector<double>& z,
                                 FrozenContact& contact) {
  if (pairs_.empty() || revisions_++ >= kMostRevisions) return false;
  move(context, &z);
  std::vector<char> changed;
  for (Pair& pair : pairs_) changed.push_back(look_ahead(pair));
  if (std::find(changed.begin(), changed.end(), 1) == changed.end()) return false;
  contact.drop(changed);
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    if (changed[k]) add(context, contact, static_cast<int>(k));
  return true;
}

// How far a place of either moves at most, as seen from the other [m].
double SoftPressureSampler::travel(const Pair& pair) const {
  const Moved& m = moved_[at_index(pair.body)];
  const auto s = at_index(pair.shape);
  return m.farthest + largest_move(m.box, {Pose(), Pose()}, {pose_[s], after_[s]});
}

// Whether the boxes of a pair overlap where the step starts, or may after so long a way [m].
bool SoftPressureSampler::near(const Pair& pair, double way) const {
  const auto s = at_index(pair.shape);
  const DistanceField& field = *shapes_[s].field;
  return !field.bounded() || moved_bounds(field.box(), pose_[s])
                                 .overlaps(moved_[at_index(pair.body)].box.inflated(way));
}

// New patches where a pair gets deeper than its patches know of. Returns whether it does.
bool SoftPressureSampler::look_ahead(Pair& pair) {
  const double way = travel(pair);
  if (!(way > kStill * pair.depth)) return false;
  if (!near(pair, way)) return false;
  Pair then;
  then.shape = pair.shape, then.body = pair.body;
  const int looks = looks_on(way, *shapes_[at_index(pair.shape)].field,
                             *bodies_[at_index(pair.body)].depth->field);
  for (int k = 1; k < looks; ++k) {
    find(then, static_cast<double>(k) / looks);
    if (!(then.depth > kDeeper * pair.depth)) continue;
    pair = then;
    return true;
  }
  find(then, 1);
  return take_up(pair, then);
}

// Adds what pushes at the end of the motion and `pair` does not know of. Returns whether that is
// much.
bool SoftPressureSampler::take_up(Pair& pair, const Pair& then) const {
  double whole = 0, unknown = 0;
  Pair all;
  const auto take = [&](const Pair& from, std::size_t k) {
    all.cell.push_back(from.cell[k]);
    all.sample.push_back(from.sample[k]), all.part.push_back(from.part[k]);
  };
  std::size_t i = 0;
  for (std::size_t k = 0; k < then.sample.size(); ++k) {
    while (i < pair.sample.size() && pair.cell[i] < then.cell[k]) take(pair, i++);
    const bool both = i < pair.sample.size() && pair.cell[i] == then.cell[k];
    const double now = force(then, k), known = both ? force(pair, i) : 0;
    const bool anew = now > kDeeper * known;
    take(anew ? then : pair, anew ? k : i);
    whole += now, unknown += anew ? now - known : 0;
    i += both;
  }
  if (!(unknown > kUnknown * whole)) return false;
  while (i < pair.sample.size()) take(pair, i++);
  for (ContactSample& s : all.sample) s.share = 1.0 / static_cast<double>(all.sample.size());
  pair.cell = all.cell, pair.sample = all.sample, pair.part = all.part;
  pair.depth = std::max(pair.depth, then.depth);
  return true;
}

// How the place of a sample moves: on the body, and on a shape [m].
Vec3d SoftPressureSampler::way_of(const Pair& pair, std::size_t sample) const {
  const auto b = at_index(pair.body);
  const Vec4i& corner = bodies_[b].depth->mesh.tets[at_index(pair.cell[sample] / 3)];
  Vec3d way = Vec3d::zero();
  for (std::size_t k = 0; k < 4; ++k)
    way += pair.part[sample][k].weight * moved_[b].way[at_index(corner[static_cast<int>(k)])];
  return way;
}

Vec3d SoftPressureSampler::way_of(int shape, const Vec3d& x) const {
  const auto s = at_index(shape);
  return after_[s] * to_local(pose_[s], x) - x;
}

// Of both surfaces together [Pa/m].
double SoftPressureSampler::series(const Pair& pair) const {
  const double shape = shapes_[at_index(pair.shape)].hydroelastic.modulus();
  const double give = 1 / bodies_[at_index(pair.body)].hydroelastic.modulus();
  return 1 / (shape > 0 ? give + 1 / shape : give);
}

// Of a sample, where the motion ends [N].
double SoftPressureSampler::force(const Pair& pair, std::size_t sample) const {
  const ContactSample& c = pair.sample[sample];
  const double gap = c.gap + dot(c.n, way_of(pair, sample) - way_of(pair.shape, c.p_b));
  return std::max(-gap, 0.0) * c.area * c.stiffer * series(pair);
}

// The patches that a pair has after the part t of its motion, as places and gaps at the start of
// the step.
void SoftPressureSampler::find(Pair& pair, double t) {
  const auto b = at_index(pair.body), s = at_index(pair.shape);
  const PressedBody& body = bodies_[b];
  const CarriedShape& shape = shapes_[s];
  const Moved& m = moved_[b];
  pair.depth = 0, pair.cell.clear(), pair.sample.clear(), pair.part.clear();
  if (t == 0 && !near(pair, 0)) return;
  const Pose pose = t > 0 ? interpolate(pose_[s], after_[s], t) : pose_[s];
  x_ = m.start;
  if (t > 0)
    for (std::size_t v = 0; v < x_.size(); ++v) x_[v] += t * m.way[v];
  surface_.find(*body.depth, body.hydroelastic, x_, pressed_side(shape, pose));
  pair.depth = surface_.depth();
  const auto& patches = surface_.patches();
  for (const TetPatch& p : patches) {
    pair.cell.push_back(static_cast<int>(p.cell));
    const Vec4i& corner = body.depth->mesh.tets[at_index(pair.cell.back() / 3)];
    auto& parts = pair.part.emplace_back();
    for (int k = 0; k < 4; ++k)
      parts[at_index(k)] = {body.points[at_index(corner[k])], p.weight[k]};
    ContactSample& c = pair.sample.emplace_back();
    c.n = p.n;
    c.gap = -p.pressure / p.stiffness;
    c.stiffer = p.stiffness / series(pair);
    c.area = p.area, c.share = 1.0 / static_cast<double>(patches.size());
    c.feature_a = p.cell, c.feature_b = feature_id(ShapeFeature::kSurface);
    c.p_a = p.point + (0.5 * c.gap) * c.n, c.p_b = p.point - (0.5 * c.gap) * c.n;
    if (t == 0) continue;
    const Vec3d way = way_of(pair, pair.sample.size() - 1);
    c.p_b = pose_[s] * to_local(pose, c.p_b);
    // As of rigid bodies, whose depth beside an edge does not tell how far to go back.
    c.gap *= std::min(1.0, c.stiffer);
    c.gap -= t * dot(c.n, way - way_of(pair.shape, c.p_b));
    c.p_a -= t * way;
  }
}

void SoftPressureSampler::add(const StepContext& context, FrozenContact& contact, int pair) {
  Pair& p = pairs_[at_index(pair)];
  if (p.sample.empty()) return;
  places_.clear();
  for (const auto& parts : p.part) places_.push_back({parts.data(), 4, true});
  PairSamples samples;
  samples.pair = pair;
  samples.surface[0] = static_cast<int>(shapes_.size()) + p.body, samples.surface[1] = p.shape;
  samples.sample = p.sample.data(), samples.count = static_cast<int>(p.sample.size());
  samples.place[0] = places_.data();
  samples.place[1] =
      carried_.find(shapes_[at_index(p.shape)], pose_[at_index(p.shape)], p.sample, 1);
  samples.as_given = samples.yields = true;
  contact.add(context, samples);
}

SoftPressureContact::SoftPressureContact(const std::vector<CarriedShape>& shapes,
                                         const std::vector<PressedBody>& bodies,
                                         const std::vector<std::array<int, 2>>& excluded,
                                         const PointContactOptions& law)
    : FrozenContact(surfaces_of(shapes, bodies), law,
                    std::make_unique<SoftPressureSampler>(shapes, bodies, excluded)) {}

}  // namespace haptos
