#include "haptos/contact/frozen/frozen_contact.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "haptos/base/math/index.h"
#include "haptos/base/math/tangent.h"
#include "haptos/system/regularisation.h"

namespace haptos {
namespace {

// A right-handed frame with n as its third column.
Mat3d contact_frame(const Vec3d& n) {
  const Vec3d t1 = tangent(n);
  return columns(t1, cross(n, t1), n);
}

// A feature of a surface, for records: apart from those of the other surfaces of a body.
std::int64_t name_feature(std::int64_t feature, int surface) {
  const auto mixed = static_cast<std::uint64_t>(feature) +
                     static_cast<std::uint64_t>(surface) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::int64_t>(mixed & 0x7fffffffffffffffULL);
}

}  // namespace

FrozenContact::FrozenContact(std::vector<FrozenSurface> surfaces, const PointContactOptions& law,
                             std::unique_ptr<ContactSampler> sampler)
    : surfaces_(std::move(surfaces)), law_(law), sampler_(std::move(sampler)) {
  check_options(law_);
  for (std::size_t i = 0; i < surfaces_.size(); ++i) {
    const FrozenSurface& s = surfaces_[i];
    const std::string element = "point_contact.shapes[" + std::to_string(i) + "]";
    const auto refuse = [&](const char* what, double value, const char* rule, const char* remedy) {
      throw InputError({"", 0, 0, element + what, internal::format_number(value), rule, remedy});
    };
    if (!(s.stiffness > 0) && s.stiffness != FrozenSurface::kAuto)
      refuse(".stiffness", s.stiffness, "must be positive", "give it in N/m");
    if (!(s.relaxation_time >= 0 && std::isfinite(s.relaxation_time)))
      refuse(".relaxation_time", s.relaxation_time, "must be 0 or more", "give it in s");
    if (!(s.modulus >= 0 && std::isfinite(s.modulus)))
      refuse(".modulus", s.modulus, "must be 0 or more", "give it in Pa/m");
    if (!(s.dissipation >= 0 && std::isfinite(s.dissipation)))
      refuse(".dissipation", s.dissipation, "must be 0 or more", "give it in s/m");
    if (!s.link && s.moves() && s.stiffness == FrozenSurface::kAuto)
      refuse(".stiffness", s.stiffness, "must be given for a surface that points move",
             "give it in N/m");
    if (!std::isfinite(s.friction)) refuse(".friction", s.friction, "must be finite", "correct it");
  }
  std::map<int, int> count;
  for (const FrozenSurface& s : surfaces_)
    number_.push_back(count[s.link ? s.link->body() : s.body]++);
}

void FrozenContact::prepare(const StepContext& context) {
  h_ = context.h;
  candidates_.clear();
  inverse_mass_ = context.inverse_mass->data();
  rates_ = !context.proximal;
  free_time_ = rates_ ? h_ : context.free_time;
  if (remembers()) anchors_.begin(context.history, context.step);
  carried_.begin(remembers() ? context.history : nullptr, context.step);
  centre_.resize(surfaces_.size());
  centre_known_.assign(surfaces_.size(), 0);
  sampler_->sample(context, *this);
}

void FrozenContact::add(const StepContext& context, const PairSamples& samples) {
  const std::size_t first = candidates_.size();
  starts_.clear();
  for (int k = 0; k < samples.count; ++k) {
    add_candidate(context, samples, k);
    Candidate& c = candidates_.back();
    if (samples.stick) c.stick = samples.stick[k];
    if (!samples.rolls) continue;
    c.rolls = transpose(c.frame) * samples.rolls[k];
    c.rolls[2] = 0;
  }
  if (candidates_.size() > first) set_laws(first);
}

void FrozenContact::add_candidate(const StepContext& context, const PairSamples& pair, int k_th) {
  const ContactSample& sample = pair.sample[k_th];
  Candidate c;
  c.pair = pair.pair, c.core = pair.core, c.as_given = pair.as_given, c.yields = pair.yields;
  c.sample = sample;
  c.frame = contact_frame(sample.n);
  Mat3d delassus = Mat3d::zero();
  Vec3d start = Vec3d::zero();  // velocity at the start of the step
  for (int k = 0; k < 2; ++k) {
    c.surface[k] = pair.surface[k];
    if (pair.place[k]) {
      Vec3d u;
      c.point[k] = place_point(context, surface(pair.surface[k]), pair.place[k][k_th], delassus, u);
      c.coupled[k] = pair.place[k][k_th].coupled;
      start += (k == 0 ? 1.0 : -1.0) * u;
      continue;
    }
    const Link* link = surface(pair.surface[k]).link;
    if (!link) continue;
    const int n = link->columns();
    const Vec3d x = touched(sample, k);
    jacobian_.resize(at_index(3 * n));
    link->jacobian(x, jacobian_.data());
    add_delassus(jacobian_.data(), n, context.inverse_mass->data() + link->first_scalar(),
                 delassus);
    start += (k == 0 ? 1.0 : -1.0) * link->velocity(x);
    c.point[k] =
        context.points->add_link(link->block(), link->body(), link->env(), x, jacobian_.data(), n);
  }
  // Would overlap by the end of the step, or be pushed to.
  c.expected = sample.gap + h_ * dot(sample.n, start) < free_time_ * free_time_ * kPush;
  starts_.push_back({transpose(c.frame) * delassus * c.frame, transpose(c.frame) * start});
  candidates_.push_back(c);
}

bool FrozenContact::acts(int pair) const {
  return std::any_of(candidates_.begin(), candidates_.end(), [&](const Candidate& c) {
    return c.pair == pair && (c.value.stick || c.value.slip);
  });
}

void FrozenContact::drop(const std::vector<char>& pairs) {
  std::erase_if(candidates_, [&](const Candidate& c) { return pairs[at_index(c.pair)] != 0; });
}

std::vector<std::pair<int, Vec3d>> FrozenContact::slipping_pairs() const {
  std::vector<std::pair<int, Vec3d>> found;
  for (const Candidate& c : candidates_) {
    if (!c.value.slip || !(c.friction > 0)) continue;
    if (found.empty() || found.back().first != c.pair) found.emplace_back(c.pair, c.sample.n);
  }
  return found;
}

void FrozenContact::couplings(const Points& points, Coupled coupled,
                              std::vector<std::array<int, 2>>& out) const {
  if (coupled == Coupled::kAlways) return;
  for (const Candidate& c : candidates_)
    if (c.expected) couple(c, points, out);
}

Vec3d FrozenContact::velocity(const Candidate& c, const Points& points) const {
  Vec3d u = Vec3d::zero();
  if (c.point[0] >= 0) u += points.u[at_index(c.point[0])];
  if (c.point[1] >= 0) u -= points.u[at_index(c.point[1])];
  return u;
}

// Surfaces of which one yields as a whole touch: what its samples have for a gap is force over
// stiffness.
double FrozenContact::gap_after(const Candidate& c, const Vec3d& velocity) const {
  return c.stick.stiffness > 0 ? 0 : c.sample.gap + h_ * dot(velocity, c.sample.n);
}

bool FrozenContact::refresh(const Points& points, Sampling) {
  load_ = 0;
  smallest_gap_ = 1e300;
  crossed_ = crossing_ = 0;
  impulses_off_ = impulses_apart_ = 0;
  points_ = &points;
  for (Candidate& c : candidates_) {
    if (with_impulses_)
      answer_with_impulse(c, points);
    else
      answer(c, points);
    load_ += norm(c.value.impulse) / h_;
    const double gap = gap_after(c, velocity(c, points));
    smallest_gap_ = std::min(smallest_gap_, gap);
    if (!(c.core > 0) || gap >= -c.core) continue;
    ++crossed_;
    if (c.sample.gap >= -c.core) ++crossing_;
  }
  return false;
}

// The law at a velocity in the contact's frame.
SapValue<double> FrozenContact::law_at(const Candidate& c, const Vec3d& v) const {
  return is_cone() ? sap_law(c.sap, v) : hunt_crossley_law(c.hunt, v);
}

// The law at the velocities of points.
void FrozenContact::answer(Candidate& c, const Points& points) const {
  c.value = law_at(c, transpose(c.frame) * velocity(c, points));
  c.impulse = c.frame * c.value.impulse;
}

Energy FrozenContact::evaluate(const Evaluation& e) {
  Energy total;
  for (const Candidate& c : candidates_) {
    if (!c.value.stick && !c.value.slip) continue;
    total += {c.value.cost, c.value.cost};
    if (!e.assembly) continue;
    const int a = c.point[0], b = c.point[1];
    if (a >= 0) e.assembly->add_gradient(a, -c.impulse);
    if (b >= 0) e.assembly->add_gradient(b, c.impulse);
    if (!e.assembly->wants_hessian()) continue;
    Mat3d curvature = c.value.hessian;
    if (e.caution > 0 && c.value.slip)
      widen(c, transpose(c.frame) * velocity(c, *e.points), e.caution, curvature);
    const Mat3d g = c.frame * curvature * transpose(c.frame);
    const Mat3d h = 0.5 * (g + transpose(g));
    if (a >= 0) e.assembly->add_hessian(a, a, h);
    if (b >= 0) e.assembly->add_hessian(b, b, h);
    if (a >= 0 && b >= 0) e.assembly->add_hessian(a, b, -h);
  }
  return total;
}

FeaturePair FrozenContact::key(const Candidate& c) const {
  const FrozenSurface &a = surface(c.surface[0]), &b = surface(c.surface[1]);
  FeaturePair k = bodies_of(a, b);
  k.feature_a = name_feature(c.sample.feature_a, c.surface[0]);
  k.feature_b = name_feature(c.sample.feature_b, c.surface[1]);
  return k;
}

void FrozenContact::commit(const StepContext& context, const Points& points) {
  contacts_.clear();
  anchors_.clear();
  for (const Candidate& c : candidates_) {
    if (!c.value.stick && !c.value.slip) continue;
    const Vec3d u = velocity(c, points) + c.frame * c.rolls;
    const double normal_speed = dot(u, c.sample.n);
    if (remembers()) keep_anchor(c, transpose(c.frame) * u);
    const FeaturePair k = key(c);
    ContactPoint r;
    r.env = k.env;
    r.body_a = k.body_a;
    r.body_b = k.body_b;
    r.surface_a = number_[at_index(c.surface[0])];
    r.surface_b = number_[at_index(c.surface[1])];
    r.feature_a = k.feature_a;
    r.feature_b = k.feature_b;
    if (c.point[0] >= 0) r.point_a = material_point(points, c.point[0]);
    if (c.point[1] >= 0) r.point_b = material_point(points, c.point[1]);
    const int p = c.point[0] >= 0 ? c.point[0] : c.point[1];
    r.p = points.x[at_index(p)];
    r.n = c.sample.n;
    r.gap = gap_after(c, u);
    r.area = c.sample.area;
    r.force = (1.0 / context.h) * c.impulse;
    r.normal_force = dot(r.force, r.n);
    r.tangential_force = r.force - r.normal_force * r.n;
    r.slip = u - normal_speed * r.n;
    r.friction = c.friction;
    r.sticking = c.value.stick;
    contacts_.push_back(r);
  }
  sampler_->commit(*this);
  anchors_.sort();
}

void FrozenContact::remember(ContactHistory& next) const {
  anchors_.remember(next);
  carried_.remember(next);
  sampler_->remember(next);
}

}  // namespace haptos
