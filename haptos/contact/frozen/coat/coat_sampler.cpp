#include "haptos/contact/frozen/coat/coat_sampler.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/notes.h"

namespace haptos {
namespace {

// Nodes that are farther from all others may bulge and still not touch [m].
constexpr double kReach = 5e-4;
// A normal that leans so far out of the coat is that of a surface behind it: cosine.
constexpr double kFacing = -0.1;
// Passes over where the other surface is, until nodes move by less than that [m].
constexpr int kPasses = 2;
constexpr double kStill = 3e-6;
constexpr double kFar = 1e30;
// Farthest that a step is looked ahead by the velocities at its start [m].
constexpr double kAhead = 3e-4;
// Rounds over the motion that was solved, until pressures are those of where it leads: part of
// their sum, and a force that does not matter [N].
constexpr int kRounds = 6;
constexpr double kAgree = 1e-3, kLeastForce = 1e-9;
// A probe that is farther off is beside the other surface, not under it [m].
constexpr double kBeside = 1e-4;
// Parts of a hat that are covered, from which on it counts as crossed by an edge, and wholly so.
constexpr double kLeastCover = 0.35, kCover = 0.65;

std::vector<FrozenSurface> surfaces_of(const std::vector<CoatOther>& others,
                                       const std::vector<PressedCoat>& coats) {
  std::vector<FrozenSurface> all(others.begin(), others.end());
  for (FrozenSurface& s : all) {
    s.stiffness = FrozenSurface::kRigid;
    s.modulus = s.relaxation_time = s.dissipation = 0;
  }
  for (const PressedCoat& c : coats) {
    all.push_back(c);
    // Of 1 Pa/m, so that a sample's factor is its stiffness over its area.
    all.back().stiffness = FrozenSurface::kRigid, all.back().modulus = 1;
  }
  return all;
}

Pose pose_of(const FrozenSurface& s, const Pose& frame, const RigidPoints& points,
             const StepContext& context) {
  if (s.link) return compose(s.link->pose(), frame);
  return points.valid() ? points.pose(context.points->x_start) : frame;
}

// Whether a body may be within a distance of a point that is in its frame.
bool may_reach(const DistanceField& field, const Vec3d& x, double distance) {
  if (!field.bounded()) return field.phi(x) <= distance;
  return field.box().squared_distance(x) <= distance * distance;
}

// The gap of a node from those at its probes: their mean over its hat. Where an edge of the other
// surface crosses the hat, and half of it or more is covered, the mean of that part: a node under
// the rim of a punch goes all the way down.
double gap_of(const CoatCompliance& coat, int node, const std::vector<double>& at_probe) {
  double covered = 0, sum = 0, all = 0;
  for (int k = coat.first_part[at_index(node)]; k < coat.first_part[at_index(node) + 1]; ++k) {
    const CoatCompliance::Part& p = coat.part[at_index(k)];
    const double gap = at_probe[at_index(p.probe)];
    const double part = p.weight * std::clamp(1 - gap / kBeside, 0.0, 1.0);
    covered += part, sum += part * gap;
    all += p.weight * gap;
  }
  const double s = std::clamp((covered - kLeastCover) / (kCover - kLeastCover), 0.0, 1.0);
  return s > 0 ? s * (sum / covered) + (1 - s) * all : all;
}

Vec3d across(const Vec3d& f, const Vec3d& n) { return f - dot(f, n) * n; }

}  // namespace

CoatForces coat_forces(const ContactHistory& history, int pad) {
  FeaturePair key;
  key.body_a = key.body_b = pad;
  key.part_a = key.part_b = kCoatForce;
  CoatForces found;
  for (auto it = history.lower_bound(key); it != history.end(); ++it) {
    const FeaturePair& k = it->first;
    if (k.body_a != pad || k.body_b != pad || k.part_a != kCoatForce || k.part_b != kCoatForce)
      break;
    if (k.feature_b == 1) {
      if (found.node.empty()) continue;
      found.friction.back() = it->second.anchor;
      found.stiffer.back() = std::max(it->second.edge, 1.0);
      continue;
    }
    found.node.push_back(static_cast<int>(k.feature_a));
    found.force.push_back(it->second.anchor);
    found.friction.push_back(Vec3d::zero());
    found.slips.push_back(it->second.slipping != 0);
    found.stiffer.push_back(1);
  }
  return found;
}

std::vector<Vec3d> CoatForces::bending() const {
  std::vector<Vec3d> all;
  for (std::size_t k = 0; k < node.size(); ++k)
    all.push_back(friction[k] + (1 / stiffer[k]) * (force[k] - friction[k]));
  return all;
}

CoatSampler::CoatSampler(std::vector<CoatOther> others, std::vector<PressedCoat> coats,
                         std::vector<std::array<int, 2>> excluded)
    : others_(std::move(others)), coats_(std::move(coats)), excluded_(std::move(excluded)) {
  std::sort(excluded_.begin(), excluded_.end());
  for (const PressedCoat& k : coats_) {
    box_.emplace_back();
    for (const Vec3d& x : k.coat->rest) box_.back().merge(x);
  }
}

bool CoatSampler::may_touch(int other, int coat) const {
  const CoatOther& o = others_[at_index(other)];
  const PressedCoat& c = coats_[at_index(coat)];
  if (!o.field || (o.link && o.link == c.link) || (o.body >= 0 && o.body == c.body)) return false;
  return !std::binary_search(excluded_.begin(), excluded_.end(), std::array<int, 2>{other, coat});
}

void CoatSampler::sample(const StepContext& context, FrozenContact& contact) {
  const std::size_t n = coats_.size();
  pose_.resize(n), other_pose_.resize(others_.size());
  nodes_.assign(n, {}), other_.assign(n, {}), friction_.assign(n, {});
  dent_.resize(n), before_.resize(n);
  for (std::size_t i = 0; i < others_.size(); ++i)
    other_pose_[i] = pose_of(others_[i], others_[i].frame, others_[i].points, context);
  for (std::size_t c = 0; c < n; ++c) {
    const PressedCoat& k = coats_[c];
    pose_[c] = pose_of(k, k.frame, k.points, context);
    before_[c] = context.history ? coat_forces(*context.history, k.pad) : CoatForces();
    k.coat->displace(before_[c].node, before_[c].bending(), dent_[c]);
  }
  rounds_ = 0;
  foresee(context, context.proximal ? nullptr : context.z, kAhead);
  for (int c = 0; c < static_cast<int>(n); ++c) {
    find(c, contact);
    add_samples(context, c, contact);
  }
}

bool CoatSampler::revise(const StepContext& context, const std::vector<double>& z,
                         FrozenContact& contact) {
  if (rounds_++ >= kRounds) return false;
  foresee(context, &z, kFar);
  std::vector<std::vector<double>> solved(coats_.size());
  for (std::size_t c = 0; c < coats_.size(); ++c)
    solved[c].assign(coats_[c].coat->rest.size(), 0.0);
  contact.each_pushing([&](int pair, const ContactSample& s, const Vec3d& force, bool) {
    solved[at_index(pair) / others_.size()][at_index(s.feature_a)] = dot(force, s.n);
  });
  bool agree = true;
  for (int c = 0; c < static_cast<int>(coats_.size()); ++c) {
    find(c, contact);
    double off = 0, all = 0;
    std::vector<double>& left = solved[at_index(c)];
    for (const CoatNode& n : nodes(c)) {
      const double force = n.stiffer * n.force;
      off += std::abs(force - left[at_index(n.node)]);
      all += force;
      left[at_index(n.node)] = 0;
    }
    for (const double f : left) off += std::abs(f);
    agree = agree && off <= kAgree * all + kLeastForce;
  }
  if (agree) return false;
  contact.drop(std::vector<char>(coats_.size() * others_.size(), 1));
  for (int c = 0; c < static_cast<int>(coats_.size()); ++c) add_samples(context, c, contact);
  return true;
}

// Where everything is at the end of the step: prescribed bodies where they are sent, links by the
// velocities z, but no farther than `most` from where they are.
void CoatSampler::foresee(const StepContext& context, const std::vector<double>* z, double most) {
  const auto after = [&](const FrozenSurface& s, const Pose& frame, const RigidPoints& points,
                         const Pose& now) {
    if (s.link) return z ? compose(s.link->pose_after(*z, context.h), frame) : now;
    return points.valid() ? points.pose(context.points->x_target) : now;
  };
  const auto ahead = [&](const FrozenSurface& s, const Pose& frame, const RigidPoints& points,
                         const Pose& now) {
    const Pose end = after(s, frame, points, now);
    const double way = norm(end.p - now.p);
    return way > most ? interpolate(now, end, most / way) : end;
  };
  end_.resize(coats_.size()), other_end_.resize(others_.size());
  for (std::size_t c = 0; c < coats_.size(); ++c)
    end_[c] = ahead(coats_[c], coats_[c].frame, coats_[c].points, pose_[c]);
  for (std::size_t i = 0; i < others_.size(); ++i)
    other_end_[i] = ahead(others_[i], others_[i].frame, others_[i].points, other_pose_[i]);
}

// What presses on a coat where the step leads.
void CoatSampler::find(int c, const FrozenContact& contact) {
  const CoatCompliance& coat = *coats_[at_index(c)].coat;
  if (!find_near(c)) {
    nodes(c).clear();
    return;
  }
  std::vector<Vec3d>& u = dent_[at_index(c)];
  std::vector<Vec3d> by_friction;
  for (int pass = 0; pass < kPasses; ++pass) {
    place_.resize(coat.rest.size());
    for (std::size_t i = 0; i < u.size(); ++i) place_[i] = coat.rest[i] + u[i];
    if (!look(c)) return;
    keep_friction(c, contact);
    const std::vector<Vec3d>& friction = friction_[at_index(c)];
    std::vector<int> which;
    for (const CoatNode& n : nodes(c)) which.push_back(n.node);
    coat.displace(which, friction, by_friction);
    for (CoatNode& n : nodes(c))
      n.gap += dot(n.n, by_friction[at_index(n.node)] - u[at_index(n.node)]);
    press(coat, nodes(c));
    std::vector<Vec3d> force = friction;
    for (std::size_t i = 0; i < which.size(); ++i) force[i] += nodes(c)[i].force * nodes(c)[i].n;
    const std::vector<Vec3d> was = u;
    coat.displace(which, force, u);
    double moved = 0;
    for (const CoatNode& n : nodes(c))
      moved = std::max(moved, norm(u[at_index(n.node)] - was[at_index(n.node)]));
    if (moved < kStill) break;
  }
  find_squeeze(coat, nodes(c));
}

bool CoatSampler::find_near(int c) {
  const Aabb& box = box_[at_index(c)];
  const Vec3d middle = 0.5 * (box.lo + box.hi);
  const double radius = 0.5 * norm(box.hi - box.lo) + kReach;
  near_.clear(), seen_.clear();
  for (int o = 0; o < static_cast<int>(others_.size()); ++o) {
    if (!may_touch(o, c)) continue;
    const Pose seen = seen_from(other_end_[at_index(o)], end_[at_index(c)]);
    const DistanceField& field = *others_[at_index(o)].field;
    if (!may_reach(field, seen * middle, radius)) continue;
    near_.push_back(o), seen_.push_back(seen);
  }
  return !near_.empty();
}

// The nodes that are near others where they are now, and the nearest of these; false: none.
bool CoatSampler::look(int c) {
  const CoatCompliance& coat = *coats_[at_index(c)].coat;
  const std::size_t n = coat.rest.size();
  touched_.assign(n, {-1, kReach});
  for (std::size_t k = 0; k < near_.size(); ++k) {
    const DistanceField& field = *others_[at_index(near_[k])].field;
    at_probe_.assign(coat.probe.size(), kFar);
    for (std::size_t p = 0; p < coat.probe.size(); ++p) {
      const CoatCompliance::Probe& at = coat.probe[p];
      const Vec3d x = seen_[k] * (0.5 * (place_[at_index(at.a)] + place_[at_index(at.b)]));
      if (!field.bounded() || may_reach(field, x, 4 * kReach)) at_probe_[p] = field.phi(x);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double gap = gap_of(coat, static_cast<int>(i), at_probe_);
      if (gap < touched_[i].gap) touched_[i] = {static_cast<int>(k), gap};
    }
  }
  std::vector<double> force(n, 0.0);
  for (const CoatNode& b : nodes(c)) force[at_index(b.node)] = b.force;
  nodes(c).clear(), other_[at_index(c)].clear();
  for (std::size_t i = 0; i < n; ++i) {
    const auto [k, gap] = touched_[i];
    if (k < 0) continue;
    const Pose& seen = seen_[at_index(k)];
    const auto at = others_[at_index(near_[at_index(k)])].field->at(seen * place_[i]);
    const Vec3d normal = transpose(to_matrix(seen.q)) * at.gradient;
    if (!(dot(normal, coat.normal[i]) < kFacing)) continue;
    nodes(c).push_back({static_cast<int>(i), normalized(normal), gap, force[i]});
    other_[at_index(c)].push_back(near_[at_index(k)]);
  }
  return !nodes(c).empty();
}

// The friction that each node had, along the surface that it touches now, and no more than what
// presses there allows.
void CoatSampler::keep_friction(int c, const FrozenContact& contact) {
  const CoatForces& before = before_[at_index(c)];
  std::vector<Vec3d>& friction = friction_[at_index(c)];
  friction.assign(nodes(c).size(), Vec3d::zero());
  const int surface = static_cast<int>(others_.size()) + c;
  for (std::size_t i = 0, k = 0; i < nodes(c).size(); ++i) {  // both rise
    CoatNode& n = nodes(c)[i];
    while (k < before.node.size() && before.node[k] < n.node) ++k;
    if (k == before.node.size() || before.node[k] != n.node) continue;
    if (n.force == 0) n.force = std::max(dot(before.force[k], n.n), 0.0) / before.stiffer[k];
    const Vec3d t = across(before.friction[k], n.n);
    const double most =
        contact.friction_of(other_[at_index(c)][i], surface) * n.force * before.stiffer[k];
    const double size = norm(t);
    friction[i] = size > most ? (most / size) * t : t;
    n.slips = before.slips[k] != 0;
  }
}

void CoatSampler::add_samples(const StepContext& context, int c, FrozenContact& contact) {
  const PressedCoat& k = coats_[at_index(c)];
  const Pose &start = pose_[at_index(c)], &end = end_[at_index(c)];
  find_stiffness(*k.coat, nodes(c));
  const Mat3d turn = to_matrix(end.q);
  const bool driven = !k.link && k.points.valid();
  const int surface = static_cast<int>(others_.size()) + c;
  for (int o = 0; o < static_cast<int>(others_.size()); ++o) {
    const CoatOther& other = others_[at_index(o)];
    const Pose &other_start = other_pose_[at_index(o)], &other_end = other_end_[at_index(o)];
    const bool by_points = !other.link && other.points.valid();
    std::vector<ContactSample> samples;
    std::vector<SampleStick> sticks;
    std::vector<Points::Part> own;
    std::vector<std::array<Points::Part, 4>> theirs;
    for (std::size_t i = 0; i < nodes(c).size(); ++i) {
      const CoatNode& n = nodes(c)[i];
      if (other_[at_index(c)][i] != o || !(n.force > 0)) continue;
      const double area = k.coat->area[at_index(n.node)];
      const Vec3d y = k.coat->rest[at_index(n.node)] + dent_[at_index(c)][at_index(n.node)];
      const Vec3d x = start * y, in_other = to_local(other_start, x);
      ContactSample s;
      s.n = turn * n.n;
      const double foreseen = dot(s.n, (end * y - x) - (other_end * in_other - x));
      const double force = n.stiffer * n.force;
      const double stiffness = n.stiffness * (2 * n.stiffer - 1);  // of a law of second order
      s.gap = -force / stiffness - foreseen;
      s.p_a = x + (0.5 * s.gap) * s.n, s.p_b = x - (0.5 * s.gap) * s.n;
      s.area = area;
      s.stiffer = stiffness / area;
      s.feature_a = n.node;
      samples.push_back(s);
      sticks.push_back({n.tangential, turn * friction_[at_index(c)][i]});
      if (driven) own.push_back({k.node[at_index(n.node)], 1.0});
      if (by_points) theirs.push_back(other.points.parts(in_other));
    }
    if (samples.empty()) continue;
    for (ContactSample& s : samples) s.share = 1.0 / static_cast<double>(samples.size());
    std::vector<SamplePlace> places[2];
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (driven) places[0].push_back({&own[i], 1});
      if (by_points) places[1].push_back({theirs[i].data(), 4});
    }
    PairSamples pair;
    pair.pair = c * static_cast<int>(others_.size()) + o;
    pair.surface[0] = surface, pair.surface[1] = o;
    pair.sample = samples.data(), pair.count = static_cast<int>(samples.size());
    pair.stick = sticks.data();
    for (int side = 0; side < 2; ++side)
      if (!places[side].empty()) pair.place[side] = places[side].data();
    pair.as_given = true;
    contact.add(context, pair);
  }
}

void CoatSampler::commit(const FrozenContact& contact) {
  notes_.clear();
  contact.each_pushing([&](int pair, const ContactSample& s, const Vec3d& force, bool slips) {
    const auto c = at_index(pair) / others_.size();
    const Mat3d back = transpose(to_matrix(end_[c].q));
    FeaturePair key;
    key.body_a = key.body_b = coats_[c].pad;
    key.part_a = key.part_b = kCoatForce;
    key.feature_a = s.feature_a;
    ContactMemory memory;
    memory.normal_force = dot(force, s.n);
    memory.slipping = slips ? 1 : 0;
    memory.anchor = back * force;
    notes_.emplace_back(key, memory);
    key.feature_b = 1;
    memory.anchor = back * across(force, s.n);
    // revise() may have looked again since, and found it no more.
    const auto n = std::ranges::lower_bound(nodes_[c], s.feature_a, {}, &CoatNode::node);
    if (n != nodes_[c].end() && n->node == s.feature_a) memory.edge = n->stiffer;
    notes_.emplace_back(key, memory);
  });
}

void CoatSampler::remember(ContactHistory& next) const {
  for (const auto& [key, memory] : notes_) next.insert_or_assign(key, memory);
}

CoatContact::CoatContact(const std::vector<CoatOther>& others,
                         const std::vector<PressedCoat>& coats, const PointContactOptions& law,
                         std::vector<std::array<int, 2>> excluded)
    : FrozenContact(surfaces_of(others, coats), law,
                    std::make_unique<CoatSampler>(others, coats, std::move(excluded))) {}

}  // namespace haptos
