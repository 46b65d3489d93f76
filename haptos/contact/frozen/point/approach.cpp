// Which pairs of shapes touch in a step (point_contact.h): those that overlap at its start, and
// those that meet on their way.
#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/link_speed.h"
#include "haptos/contact/frozen/notes.h"
#include "haptos/contact/frozen/point/point_contact.h"
#include "haptos/geometry/collide/field.h"

namespace haptos {
namespace {

// Samples where shapes touch reach this much farther than they can still close [m].
constexpr double kReach = 1e-3;
// Of the smaller shape: how near counts as touching.
constexpr double kTouch = 1e-6;
// The same for shapes without flat parts, whose samples are less sharp.
constexpr double kCurved = 1e-4;
// Times that a step looks again at what touches. From the third on only at what would sink in by
// more than this part of the smaller half thickness until the end of the step: where bodies push
// each other on, as in a pile that lands, each look finds the next: 216 balls in columns of six
// take up to 17 looks, 1,000 in columns of ten up to 28.
constexpr int kUnasked = 2;
constexpr int kMostRevisions = 50;
constexpr double kSinks = 1e-3;
// Arrivals later than the first of a body by more than this part of the step wait: the first may
// keep the body from them.
constexpr double kTogether = 0.25;
// A contact that slides may be lifted (docs/laws/sap.md) by this times h mu |v_t|.
constexpr double kLift = 1.5;
// Steps ahead that count for it.
constexpr double kFarthest = 100;
// Cosine of the turn within a step up to which a lifted contact is the same.
constexpr double kSame = 0.98;

// Whether distance and samples of a shape are exact to round-off.
bool sharp(const CollisionShape& s) { return !s.is_convex() || !is_curved(s.convex().core); }

}  // namespace

double PointSampler::size_of(const CollisionShape& s) {
  if (s.is_convex()) return s.convex().extent;
  return s.field() ? s.field()->extent() : 1e300;
}

double PointSampler::touch_tolerance(const NearPair& p) const {
  const CollisionShape &a = shapes_[at_index(p.shape[0])].shape,
                       &b = shapes_[at_index(p.shape[1])].shape;
  return std::min(size_of(a), size_of(b)) * kTouch;
}

FeaturePair PointSampler::note_key(const NearPair& p, int kind) const {
  const PointShape &a = shapes_[at_index(p.shape[0])], &b = shapes_[at_index(p.shape[1])];
  FeaturePair k = bodies_of(a, b);
  k.part_a = k.part_b = kind;
  k.feature_a = p.shape[0];
  k.feature_b = p.shape[1];
  return k;
}

// How much of an overlap that was there when the run started is left to part. The law does not see
// that much of it.
double PointSampler::parting_of(const StepContext& context, const NearPair& p) const {
  double most = 0;
  if (context.step == 0) {
    if (parts_overlap(shapes_[at_index(p.shape[0])].shape, shapes_[at_index(p.shape[1])].shape,
                      -p.gap))
      most = -p.gap;
  } else if (context.history && !context.history->empty()) {
    const auto it = context.history->find(note_key(p, kPointParting));
    if (it != context.history->end()) most = it->second.edge;
  }
  return std::max(0.0, std::min(most, -p.gap) - parting_speed_ * h_);
}

// Whether a contact that slid in the last step is still held, above the surface, by the law that
// lifts it.
bool PointSampler::lifted(const StepContext& context, const NearPair& p) const {
  if (!contact_->lifts()) return false;
  const ContactSample& s = samples_[at_index(p.deepest)];
  if (context.step > 0) {  // a run may start with bodies that glide
    if (!context.history || context.history->empty()) return false;
    const auto it = context.history->find(note_key(p, kPointLifted));
    if (it == context.history->end() || !(dot(it->second.anchor, s.n) > kSame)) return false;
  }
  const Link *a = shapes_[at_index(p.shape[0])].link, *b = shapes_[at_index(p.shape[1])].link;
  Vec3d v = Vec3d::zero();
  if (a) v += a->velocity(s.p_a);
  if (b) v -= b->velocity(s.p_b);
  const double slip = norm(v - dot(v, s.n) * s.n);
  return s.gap <= kLift * h_ * contact_->friction_of(p.shape[0], p.shape[1]) * slip;
}

void PointSampler::find_touching(const StepContext& context) {
  revisions_ = 0;
  notes_.clear();
  path_.resize(shapes_.size());
  path_known_.resize(shapes_.size());
  forget_paths();
  bool apart = false;
  for (NearPair& p : near_) {
    p.deepest = p.first;
    for (int k = p.first; k < p.first + p.count; ++k)
      if (samples_[at_index(k)].gap < samples_[at_index(p.deepest)].gap) p.deepest = k;
    p.gap = samples_[at_index(p.deepest)].gap;
    if (p.gap > 0 && !lifted(context, p)) {
      apart = true;
      continue;
    }
    p.stand = NearPair::kTouches;
    p.parting = p.gap < 0 ? parting_of(context, p) : 0;
    for (int k = p.first; k < p.first + p.count && p.parting > 0; ++k)
      samples_[at_index(k)].gap += p.parting;
  }
  list_rests();
  clear_seams();
  for (std::size_t k = 0; k < near_.size(); ++k)
    if (near_[k].stand == NearPair::kTouches) add_pair(context, static_cast<int>(k));
  if (apart && context.z) foresee(context);
}

// Contacts of shapes that would touch if nothing held them: most often the same as after the
// solution, which then need not be found again. What rests falls by as much as it is lifted off by
// round-off. (With the velocities of the start in place of free ones a humanoid that falls and lies
// was solved anew in nine of ten steps, with 4 iterations in place of 2.)
void PointSampler::foresee(const StepContext& context) {
  const bool falls = context.z_free && !context.proximal;
  const std::vector<double>& z = falls ? *context.z_free : *context.z;
  forget_paths();
  double t = 0, sinks = 0;
  const auto n = static_cast<int>(near_.size());
  for (int k = 0; k < n; ++k) {
    if (near_[at_index(k)].stand != NearPair::kApart) continue;
    if (arrives(near_[at_index(k)], z, t, sinks) && arrive(context, k, z, t))
      near_[at_index(k)].stand = NearPair::kForeseen;
  }
}

const ShapePath& PointSampler::path(int shape, const std::vector<double>& z) {
  const auto i = at_index(shape);
  ShapePath& p = path_[i];
  if (path_known_[i]) return p;
  path_known_[i] = 1;
  const Link* link = shapes_[i].link;
  if (!link) {
    p = {};
    p.start = pose_[i];
    return p;
  }
  const Vec3d rate = link->velocity_with(pose_[i].p, z);
  p = ShapePath::between(pose_[i], compose(link->pose_after(z, h_), shapes_[i].frame), h_ * rate);
  return p;
}

// Up to when a pair that touches counts, in steps. What a law lifts while it slides lands as high
// as it will glide: it would be thrown up from the surface itself.
double PointSampler::horizon(const NearPair& p, const ShapePath& a, const ShapePath& b) const {
  if (!contact_->lifts()) return 1;
  const Vec3d n = samples_[at_index(p.deepest)].n, way = b.way - a.way;
  const double closes = dot(n, way), slid = norm(way - closes * n), left = p.gap - closes;
  const double lift = kLift * contact_->friction_of(p.shape[0], p.shape[1]) * slid;
  return closes > 0 && left > 0 && left <= lift ? 1 + std::min(left / closes, kFarthest) : 1;
}

// Whether the shapes of a pair that is apart touch on the motion z, and when; `sinks` is how far
// they would then close in the rest of the step, in half thicknesses of the smaller one.
bool PointSampler::arrives(const NearPair& p, const std::vector<double>& z, double& t,
                           double& sinks) {
  const CollisionShape &a = shapes_[at_index(p.shape[0])].shape,
                       &b = shapes_[at_index(p.shape[1])].shape;
  const ShapePath& pa = path(p.shape[0], z);
  const ShapePath& pb = path(p.shape[1], z);
  const double slack =
      sharp(a) && sharp(b) ? touch_tolerance(p) : touch_tolerance(p) * kCurved / kTouch;
  const double end = horizon(p, pa, pb);
  double c = 0;
  if (a.has_field() || b.has_field()) {
    // Other triangles than the nearest may be met first.
    const Vec3d from = pb.speed(0) - pa.speed(0), to = pb.speed(end) - pa.speed(end);
    c = std::max(norm(from), norm(to)) + norm(pa.turn) * size_of(a) + norm(pb.turn) * size_of(b);
  } else {
    c = closing(a, pa, b, pb, samples_[at_index(p.deepest)].n, end);
  }
  if (c * end < p.gap - slack) return false;
  const double apart = p.gap > slack ? (p.gap - slack) / c : 0;  // at most `end`
  if (!first_touch(a, pa, b, pb, touch_tolerance(p), t, end, apart)) return false;
  sinks = (1 - t) * c / std::min(a.half_thickness(), b.half_thickness());
  return true;
}

// Makes contacts of a pair from where it touches at t on the motion z, told as places and gaps at
// the start of the step. False where what it touches is hidden.
bool PointSampler::arrive(const StepContext& context, int pair, const std::vector<double>& z,
                          double t) {
  NearPair p = near_[at_index(pair)];
  const PointShape &a = shapes_[at_index(p.shape[0])], &b = shapes_[at_index(p.shape[1])];
  ShapePath way[2] = {path(p.shape[0], z), path(p.shape[1], z)};
  const auto touch = [&] {
    const Vec3d ahead = way[1].speed(1) - way[0].speed(1);
    touching_.clear();
    collide(a.shape, way[0].at(t), b.shape, way[1].at(t),
            kReach + std::max(0.0, 1 - t) * norm(ahead) + touch_tolerance(p), touching_);
    return static_cast<int>(touching_.size());
  };
  if (touch() == 0) return false;
  int side = 0;
  double rise = 0;
  if (const Rest* rest =
          hidden(p, touching_.data(), static_cast<int>(touching_.size()), side, rise)) {
    if (rise == 0) return false;
    way[side].start.p += rest->n * rise;
    if (!first_touch(a.shape, way[0], b.shape, way[1], touch_tolerance(p), t) || touch() == 0)
      return false;
  }
  const Vec3d moved[2] = {way[0].at(t).p - pose_[at_index(p.shape[0])].p,
                          way[1].at(t).p - pose_[at_index(p.shape[1])].p};
  for (ContactSample& s : touching_) {
    // With the levers of that moment: what rolls touches with its lowest point.
    s.p_a -= moved[0];
    s.p_b -= moved[1];
    // As far as the linear motion of the step closes until t.
    s.gap = std::max(0.0, s.gap + t * h_ * closing_speed(a.link, b.link, s, z));
  }
  p.first = p.deepest = static_cast<int>(samples_.size());
  p.count = static_cast<int>(touching_.size());
  samples_.insert(samples_.end(), touching_.begin(), touching_.end());
  p.stand = NearPair::kArrived;
  near_[at_index(pair)] = p;
  add_pair(context, pair);
  return true;
}

// Whether a contact that was foreseen is one: the shapes are together at the end of the solved
// motion, but for what they slid along each other, and for what the law lifts.
bool PointSampler::still_touches(const NearPair& p, const std::vector<double>& z) {
  const CollisionShape &a = shapes_[at_index(p.shape[0])].shape,
                       &b = shapes_[at_index(p.shape[1])].shape;
  const ShapePath& pa = path(p.shape[0], z);
  const ShapePath& pb = path(p.shape[1], z);
  const Vec3d n = samples_[at_index(p.first)].n, way = pa.way - pb.way;
  const double slid = norm(way - dot(n, way) * n);
  const double turned = norm(pa.turn) + norm(pb.turn), size = std::min(size_of(a), size_of(b));
  double reach =
      touch_tolerance(p) * kCurved / kTouch + slid * slid / size + turned * turned * size;
  if (contact_->lifts()) reach += kLift * contact_->friction_of(p.shape[0], p.shape[1]) * slid;
  touching_.clear();
  collide(a, pa.at(1), b, pb.at(1), reach, touching_);
  return !touching_.empty();
}

// Takes the contacts away that hold what passes.
bool PointSampler::drop_passers(const std::vector<double>& z) {
  bool any = false;
  dropped_.assign(near_.size(), 0);
  for (std::size_t k = 0; k < near_.size(); ++k) {
    NearPair& p = near_[k];
    if (p.stand != NearPair::kForeseen) continue;
    if (!contact_->acts(static_cast<int>(k)) || still_touches(p, z)) continue;
    p.stand = NearPair::kApart;
    p.gap = 0;
    dropped_[k] = 1;
    any = true;
  }
  if (any) contact_->drop(dropped_);
  return any;
}

bool PointSampler::revise(const StepContext& context, const std::vector<double>& z,
                          FrozenContact& contact) {
  contact_ = &contact;
  const auto open = [](const NearPair& p) {
    return p.stand == NearPair::kApart || p.stand == NearPair::kForeseen;
  };
  if (revisions_ >= kMostRevisions || std::none_of(near_.begin(), near_.end(), open)) return false;
  const bool last = ++revisions_ >= kUnasked;
  const double least = revisions_ > kUnasked ? kSinks : 0;
  forget_paths();
  if (!last && drop_passers(z)) return true;
  arrivals_.clear();
  earliest_.assign(link_.size(), 1.0);
  for (std::size_t k = 0; k < near_.size(); ++k) {
    const NearPair& p = near_[k];
    double t = 0, sinks = 0;
    if (p.stand != NearPair::kApart || !arrives(p, z, t, sinks) || sinks < least) continue;
    arrivals_.emplace_back(t, static_cast<int>(k));
    for (const int s : p.shape)
      if (const int l = link_of_[at_index(s)]; l >= 0)
        earliest_[at_index(l)] = std::min(earliest_[at_index(l)], t);
  }
  bool any = false;
  for (const auto& [t, k] : arrivals_) {
    bool first = true;
    for (const int s : near_[at_index(k)].shape)
      if (const int l = link_of_[at_index(s)]; l >= 0)
        first = first && t <= earliest_[at_index(l)] + kTogether;
    if (first || last) any |= arrive(context, k, z, t);
  }
  return any;
}

void PointSampler::commit(const FrozenContact& contact) {
  notes_.clear();
  for (const NearPair& p : near_)
    if (p.parting > 0) notes_.push_back({note_key(p, kPointParting), Vec3d::zero(), p.parting});
  if (!contact.lifts()) return;
  for (const auto& [pair, n] : contact.slipping_pairs())
    notes_.push_back({note_key(near_[at_index(pair)], kPointLifted), n, 0});
}

void PointSampler::remember(ContactHistory& next) const {
  for (const Note& n : notes_) {
    ContactMemory m;
    m.anchor = n.n;
    m.edge = n.parting;
    next.insert_or_assign(n.key, m);
  }
}

}  // namespace haptos
