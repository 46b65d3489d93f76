#include "haptos/contact/frozen/coat/coat_sampler.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/coat/coat_friction.h"

namespace haptos {
namespace {

// A normal that leans so far out of the coat is that of a surface behind it: cosine.
constexpr double kFacing = -0.1;
// Passes over where the other surface is, until nodes move by less than that [m].
constexpr int kPasses = 3;
constexpr double kStill = 3e-6;
constexpr double kFar = 1e30;
// Farthest that a step is looked ahead by the velocities at its start [m].
constexpr double kAhead = 3e-4;
// Rounds over the motion that was solved, until pressures are those of where it leads: part of
// their sum, and a force that does not matter [N].
constexpr int kRounds = 6;
constexpr double kAgree = 1e-3, kLeastForce = 1e-9;
std::vector<FrozenSurface> surfaces_of(const std::vector<CarriedShape>& others,
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

Vec3d across(const Vec3d& f, const Vec3d& n) { return f - dot(f, n) * n; }

}  // namespace

CoatSampler::CoatSampler(std::vector<CarriedShape> others, std::vector<PressedCoat> coats,
                         std::vector<std::array<int, 2>> excluded)
    : others_(std::move(others)), coats_(std::move(coats)), excluded_(std::move(excluded)) {
  std::sort(excluded_.begin(), excluded_.end());
  for (const PressedCoat& k : coats_) {
    box_.emplace_back();
    for (const Vec3d& x : k.coat->rest) box_.back().merge(x);
  }
}

bool CoatSampler::may_touch(int other, int coat) const {
  const CarriedShape& o = others_[at_index(other)];
  const PressedCoat& c = coats_[at_index(coat)];
  if (!o.field || (o.link && o.link == c.link) || (o.body >= 0 && o.body == c.body)) return false;
  return !std::binary_search(excluded_.begin(), excluded_.end(), std::array<int, 2>{other, coat});
}

void CoatSampler::sample(const StepContext& context, FrozenContact& contact) {
  const std::size_t n = coats_.size();
  pose_.resize(n), other_pose_.resize(others_.size());
  nodes_.assign(n, {}), other_.assign(n, {}), friction_.assign(n, {});
  dent_.resize(n), start_.resize(n), held_.resize(n), had_.resize(n), pressed_.resize(n),
      beyond_.resize(n);
  before_.resize(n);
  for (std::size_t i = 0; i < others_.size(); ++i)
    other_pose_[i] = carried_pose(others_[i], context);
  for (std::size_t c = 0; c < n; ++c) {
    const PressedCoat& k = coats_[c];
    pose_[c] = carried_pose(k, context);
    before_[c] = context.history ? coat_forces(*context.history, k.pad) : CoatForces();
    k.coat->displace(before_[c].node, before_[c].bending(), dent_[c]);
    start_[c] = dent_[c];
    held_[c].assign(k.coat->rest.size(), Vec3d::zero());
    for (std::size_t i = 0; i < before_[c].node.size(); ++i)
      held_[c][at_index(before_[c].node[i])] = before_[c].friction[i];
    had_[c] = held_[c];
    pressed_[c].assign(k.coat->probe.size(), 0.0);
    if (context.history) read_pressure(*context.history, k.pad, pressed_[c]);
    k.coat->beyond_nodes(pressed_[c], beyond_[c]);
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
  const auto ahead = [&](const CarriedShape& s, const Pose& now) {
    const Pose end = carried_pose_after(s, context, z, now);
    const double way = norm(end.p - now.p);
    return way > most ? interpolate(now, end, most / way) : end;
  };
  end_.resize(coats_.size()), other_end_.resize(others_.size());
  for (std::size_t c = 0; c < coats_.size(); ++c) end_[c] = ahead(coats_[c], pose_[c]);
  for (std::size_t i = 0; i < others_.size(); ++i)
    other_end_[i] = ahead(others_[i], other_pose_[i]);
}

// Nothing presses.
void CoatSampler::leave(int c) {
  nodes(c).clear(), other_[at_index(c)].clear(), friction_[at_index(c)].clear();
  std::ranges::fill(pressed_[at_index(c)], 0.0);
  std::ranges::fill(beyond_[at_index(c)], 0.0);
  std::ranges::fill(dent_[at_index(c)], Vec3d::zero());
}

// What presses on a coat where the step leads.
void CoatSampler::find(int c, const FrozenContact& contact) {
  const CoatCompliance& coat = *coats_[at_index(c)].coat;
  if (!find_near(c)) {
    leave(c);
    return;
  }
  find_carried(c);
  std::vector<Vec3d>& u = dent_[at_index(c)];
  for (int pass = 0; pass < kPasses; ++pass) {
    if (!look(c)) {
      leave(c);
      return;
    }
    keep_friction(c, contact);
    const std::vector<Vec3d>& friction = friction_[at_index(c)];
    std::vector<int> which;
    for (const CoatNode& n : nodes(c)) which.push_back(n.node);
    const std::vector<Vec3d> by_friction = coat.displace_pressed(which, friction);
    // Along the normals of nodes, as forces are.
    std::vector<double> back(coat.rest.size(), 0.0);
    for (std::size_t i = 0; i < which.size(); ++i)
      back[at_index(which[i])] = dot(nodes(c)[i].n, by_friction[i] - u[at_index(which[i])]);
    for (CoatProbe& p : probes_) {
      const CoatCompliance::Probe& at = coat.probe[at_index(p.probe)];
      p.gap += 0.5 * (back[at_index(at.a)] + back[at_index(at.b)]) -
               beyond_[at_index(c)][at_index(p.probe)];
    }
    press(coat, nodes(c), probes_);
    std::ranges::fill(pressed_[at_index(c)], 0.0);
    for (const CoatProbe& p : probes_) pressed_[at_index(c)][at_index(p.probe)] = p.force;
    coat.beyond_nodes(pressed_[at_index(c)], beyond_[at_index(c)]);
    find_squeeze(coat, nodes(c));
    std::vector<Vec3d> force;
    for (const CoatNode& n : nodes(c)) force.push_back(n.force * n.n);
    hold(c, contact, coat.displace_pressed(which, force));
    for (std::size_t i = 0; i < force.size(); ++i) force[i] += friction[i];
    const std::vector<Vec3d> was = u;
    coat.displace(which, force, u);
    double moved = 0;
    for (std::size_t i = 0; i < u.size(); ++i) moved = std::max(moved, squared_norm(u[i] - was[i]));
    if (moved < kStill * kStill) break;
  }
}

// The friction that holds back what pressure moves aside.
void CoatSampler::hold(int c, const FrozenContact& contact, const std::vector<Vec3d>& by_pressure) {
  std::vector<double> most;
  std::vector<Vec3d> moved, before;
  const int surface = static_cast<int>(others_.size()) + c;
  for (std::size_t i = 0; i < nodes(c).size(); ++i) {
    const CoatNode& n = nodes(c)[i];
    most.push_back(contact.friction_of(other_[at_index(c)][i], surface) * n.force * n.stiffer);
    moved.push_back(by_pressure[i] - start_[at_index(c)][at_index(n.node)]);
    before.push_back(had_[at_index(c)][at_index(n.node)]);
  }
  std::vector<Vec3d>& friction = friction_[at_index(c)];
  hold_back(*coats_[at_index(c)].coat, nodes(c), most, moved, before, friction);
  for (std::size_t i = 0; i < nodes(c).size(); ++i)
    held_[at_index(c)][at_index(nodes(c)[i].node)] = friction[i];
}

bool CoatSampler::find_near(int c) {
  const Aabb& box = box_[at_index(c)];
  const Vec3d middle = 0.5 * (box.lo + box.hi);
  const double radius = 0.5 * norm(box.hi - box.lo) + kCoatReach;
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

// How far each of those that are near has carried the coat at the start of the step: what pressed
// then is that one's which it is nearest to.
void CoatSampler::find_carried(int c) {
  const CoatCompliance& coat = *coats_[at_index(c)].coat;
  const CoatForces& before = before_[at_index(c)];
  std::vector<std::vector<int>> node(near_.size());
  std::vector<std::vector<double>> force(near_.size());
  for (std::size_t i = 0; i < before.node.size(); ++i) {
    const std::size_t at = at_index(before.node[i]);
    const Vec3d x = coat.rest[at] + start_[at_index(c)][at];
    std::size_t nearest = 0;
    double least = kFar;
    for (std::size_t k = 0; near_.size() > 1 && k < near_.size(); ++k)
      if (const double gap = others_[at_index(near_[k])].field->phi(seen_[k] * x); gap < least)
        least = gap, nearest = k;
    node[nearest].push_back(before.node[i]);
    force[nearest].push_back(norm(before.force[i] - before.friction[i]));
  }
  carry_.clear();
  for (std::size_t k = 0; k < near_.size(); ++k)
    carry_.push_back(carry_of(coat, node[k], force[k], start_[at_index(c)]));
}

// The probes that are near others where they are now, and the nodes that they lie between; false:
// none.
bool CoatSampler::look(int c) {
  const CoatCompliance& coat = *coats_[at_index(c)].coat;
  const std::size_t n = coat.rest.size();
  look_.begin(coat);
  for (int k = 0; k < static_cast<int>(near_.size()); ++k)
    look_.at(*others_[at_index(near_[at_index(k)])].field, k, seen_[at_index(k)],
             places_of(coat, dent_[at_index(c)], beyond_[at_index(c)], carry_[at_index(k)]));
  probes_.clear();
  std::vector<CoatMet> nearest(n);
  for (std::size_t p = 0; p < coat.probe.size(); ++p) {
    const CoatMet& t = look_.met()[p];
    if (t.other < 0) continue;
    const CoatCompliance::Probe& at = coat.probe[p];
    const Vec3d up = coat.normal[at_index(at.a)] + coat.normal[at_index(at.b)];
    if (!(dot(t.out, up) < kFacing * norm(up))) continue;
    const double own = coat.own[p] * (1 / t.cover - 1);
    probes_.push_back({static_cast<int>(p), t.gap, pressed_[at_index(c)][p], own});
    for (const int a : {at.a, at.b})
      if (t.gap < nearest[at_index(a)].gap) nearest[at_index(a)] = t;
  }
  std::vector<double> force(n, 0.0);
  for (const CoatNode& b : nodes(c)) force[at_index(b.node)] = b.force;
  nodes(c).clear(), other_[at_index(c)].clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (nearest[i].other < 0) continue;
    Vec3d out = look_.out_of(nearest[i].other, static_cast<int>(i));
    if (!(squared_norm(out) > 0)) out = nearest[i].out;
    CoatNode node;
    node.node = static_cast<int>(i), node.n = normalized(out), node.force = force[i];
    nodes(c).push_back(node);
    other_[at_index(c)].push_back(near_[at_index(nearest[i].other)]);
  }
  return !probes_.empty();
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
    const bool had = k < before.node.size() && before.node[k] == n.node;
    if (had && n.force == 0) n.force = std::max(dot(before.force[k], n.n), 0.0) / before.stiffer[k];
    const double most = contact.friction_of(other_[at_index(c)][i], surface) * n.force *
                        (had ? before.stiffer[k] : 1.0);
    const Vec3d t = across(held_[at_index(c)][at_index(n.node)], n.n);
    const double size = norm(t);
    friction[i] = size > most ? (most / size) * t : t;
    n.slips = had && before.slips[k] != 0;
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
    const CarriedShape& other = others_[at_index(o)];
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
    // revise() may have looked again since, and found it no more.
    const auto n = std::ranges::lower_bound(nodes_[c], s.feature_a, {}, &CoatNode::node);
    const bool there = n != nodes_[c].end() && n->node == s.feature_a;
    notes_.add_node(coats_[c].pad, s.feature_a, back * force, back * across(force, s.n), slips,
                    there ? n->stiffer : 0);
  });
  for (std::size_t c = 0; c < coats_.size(); ++c) notes_.add_pressure(coats_[c].pad, pressed_[c]);
}

void CoatSampler::remember(ContactHistory& next) const { notes_.remember(next); }

CoatContact::CoatContact(const std::vector<CarriedShape>& others,
                         const std::vector<PressedCoat>& coats, const PointContactOptions& law,
                         std::vector<std::array<int, 2>> excluded)
    : FrozenContact(surfaces_of(others, coats), law,
                    std::make_unique<CoatSampler>(others, coats, std::move(excluded))) {}

}  // namespace haptos
