#include "haptos/contact/frozen/point/point_contact.h"

#include <algorithm>
#include <cmath>

#include "haptos/system/regularisation.h"

namespace haptos {
namespace {

// Candidates reach at least this far [m]: covers the first step of a point (radius 0) at rest.
constexpr double kReach = 1e-3;
// Acceleration by which a body may start to move within a step [m/s2].
constexpr double kPush = 20;
std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

// A right-handed frame with n as its third column; t1 is away from the world axis nearest to n.
Mat3d contact_frame(const Vec3d& n) {
  int least = 0;
  for (int i = 1; i < 3; ++i)
    if (vabs(n[i]) < vabs(n[least])) least = i;
  Vec3d e = Vec3d::zero();
  e[least] = 1;
  const Vec3d t1 = normalized(e - dot(e, n) * n);
  return columns(t1, cross(n, t1), n);
}

bool bounded(const Aabb& b) {
  for (int k = 0; k < 3; ++k)
    if (!std::isfinite(b.lo[k]) || !std::isfinite(b.hi[k])) return false;
  return true;
}

// Of the corners of a box on the link, at the start of the step.
double largest_speed(const Link* link, const Aabb& box) {
  if (!link || !bounded(box)) return 0;
  double fastest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3d x;
    for (int k = 0; k < 3; ++k) x[k] = corner >> k & 1 ? box.hi[k] : box.lo[k];
    fastest = std::max(fastest, squared_norm(link->velocity(x)));
  }
  return sqrt(fastest);
}

// A feature of a shape, for records: apart from those of the other shapes of a body.
std::int64_t name_feature(std::int64_t feature, int shape) {
  const auto mixed = static_cast<std::uint64_t>(feature) +
                     static_cast<std::uint64_t>(shape) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::int64_t>(mixed & 0x7fffffffffffffffULL);
}

}  // namespace

PointContact::PointContact(std::vector<PointShape> shapes, const PointContactOptions& law,
                           std::vector<std::array<int, 2>> excluded)
    : shapes_(std::move(shapes)), law_(law), excluded_(std::move(excluded)) {
  check_options(law_);
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const PointShape& s = shapes_[i];
    const std::string element = "point_contact.shapes[" + std::to_string(i) + "]";
    const auto refuse = [&](const char* what, double value, const char* rule, const char* remedy) {
      throw InputError({"", 0, 0, element + what, internal::format_number(value), rule, remedy});
    };
    if (!(s.stiffness > 0) && s.stiffness != PointShape::kAuto)
      refuse(".stiffness", s.stiffness, "must be positive", "give it in N/m");
    if (!(s.relaxation_time >= 0 && std::isfinite(s.relaxation_time)))
      refuse(".relaxation_time", s.relaxation_time, "must be 0 or more", "give it in s");
    if (!(s.modulus >= 0 && std::isfinite(s.modulus)))
      refuse(".modulus", s.modulus, "must be 0 or more", "give it in Pa/m");
    if (!(s.dissipation >= 0 && std::isfinite(s.dissipation)))
      refuse(".dissipation", s.dissipation, "must be 0 or more", "give it in s/m");
    if (!std::isfinite(s.friction)) refuse(".friction", s.friction, "must be finite", "correct it");
  }
  for (const PointShape& s : shapes_) {
    const auto known = std::find(link_.begin(), link_.end(), s.link);
    link_of_.push_back(s.link ? static_cast<int>(known - link_.begin()) : -1);
    if (s.link && known == link_.end()) link_.push_back(s.link);
  }
  for (const PointShape& s : shapes_)
    if (s.link) fastest_.resize(std::max(fastest_.size(), at_index(s.link->env() + 1)));
  for (auto& [i, j] : excluded_)
    if (i > j) std::swap(i, j);
  std::sort(excluded_.begin(), excluded_.end());
  if (law_.near_rigid > 0) return;
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    for (std::size_t j = i + 1; j < shapes_.size(); ++j)
      if (std::isinf(shapes_[i].stiffness) && std::isinf(shapes_[j].stiffness) &&
          may_touch(static_cast<int>(i), static_cast<int>(j)))
        throw InputError({"", 0, 0, "point_contact.near_rigid", "0",
                          "leaves shapes " + std::to_string(i) + " and " + std::to_string(j) +
                              " without any compliance",
                          "give one of them a stiffness, or near_rigid above 0"});
}

bool PointContact::may_touch(int i, int j) const {
  const PointShape &a = shapes_[at_index(i)], &b = shapes_[at_index(j)];
  if (a.link == b.link || (a.link && b.link && a.link->env() != b.link->env())) return false;
  return !std::binary_search(excluded_.begin(), excluded_.end(), std::array<int, 2>{i, j});
}

// How much farther than its own speed says a shape may get in the step: it may be struck by the
// fastest of its environment, or pushed; no more than part of its thickness, for a body that is
// missed is found overlapping at the next step.
double PointContact::surprise(const PointShape& s) const {
  const double part = 0.5 * s.shape.half_thickness();
  if (!s.link) return part;
  return std::min(part, 4 * free_time_ * (fastest_[at_index(s.link->env())] + free_time_ * kPush));
}

void PointContact::prepare(const StepContext& context) {
  h_ = context.h;
  candidates_.clear();
  inverse_mass_ = context.inverse_mass->data();
  rates_ = !context.proximal;
  free_time_ = rates_ ? h_ : context.free_time;
  if (remembers()) anchors_.begin(context.history, context.step);
  const auto n = shapes_.size();
  pose_.resize(n);
  box_.resize(n);
  speed_.resize(n);
  reach_.resize(n);
  centre_.resize(n);
  centre_known_.assign(n, 0);
  std::fill(fastest_.begin(), fastest_.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const PointShape& s = shapes_[i];
    pose_[i] = s.link ? compose(s.link->pose(), s.frame) : s.frame;
    box_[i] = s.shape.bounds(pose_[i]);
    speed_[i] = largest_speed(s.link, box_[i]);
    if (s.link) {
      double& most = fastest_[at_index(s.link->env())];
      most = std::max(most, speed_[i]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    reach_[i] = box_[i];
    const double d =
        2 * h_ * speed_[i] + 0.5 * kReach + (shapes_[i].link ? surprise(shapes_[i]) : 0);
    for (int k = 0; k < 3; ++k) reach_[i].lo[k] -= d, reach_[i].hi[k] += d;
  }
  samples_.clear(), near_.clear();
  broad_phase_.pairs(
      reach_, 0.0, [this](int i, int j) { return may_touch(i, j); }, pairs_);
  for (const auto& [i, j] : pairs_) {
    const std::size_t a = at_index(i), b = at_index(j);
    const double margin = 2 * h_ * (speed_[a] + speed_[b]) + kReach +
                          std::min(surprise(shapes_[a]), surprise(shapes_[b]));
    const auto first = static_cast<int>(samples_.size());
    collide(shapes_[a].shape, pose_[a], shapes_[b].shape, pose_[b], margin, samples_);
    const int count = static_cast<int>(samples_.size()) - first;
    if (count > 0) near_.push_back({{i, j}, first, count, first, 0, 0, NearPair::kApart});
  }
  find_touching(context);
}

void PointContact::add_pair(const StepContext& context, int pair) {
  const NearPair& p = near_[at_index(pair)];
  const std::size_t first = candidates_.size();
  starts_.clear();
  for (int k = p.first; k < p.first + p.count; ++k)
    add_candidate(context, p.shape[0], p.shape[1], samples_[at_index(k)]);
  find_rolling(context, pair, first);
  if (candidates_.size() > first) set_laws(first);
  for (std::size_t k = first; k < candidates_.size(); ++k) candidates_[k].pair = pair;
}

void PointContact::add_candidate(const StepContext& context, int i, int j,
                                 const ContactSample& sample) {
  const PointShape* side[2] = {&shapes_[at_index(i)], &shapes_[at_index(j)]};
  Candidate c;
  c.shape[0] = i;
  c.shape[1] = j;
  c.sample = sample;
  c.frame = contact_frame(sample.n);
  const Vec3d middle = 0.5 * (sample.p_a + sample.p_b);
  Mat3d delassus = Mat3d::zero();
  Vec3d start = Vec3d::zero();  // velocity at the start of the step
  for (int k = 0; k < 2; ++k) {
    const Link* link = side[k]->link;
    if (!link) continue;
    const int n = link->columns();
    const Vec3d x = sample.gap < 0 ? middle : k == 0 ? sample.p_a : sample.p_b;
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

void PointContact::step_couplings(const Points& points,
                                  std::vector<std::array<int, 2>>& out) const {
  for (const Candidate& c : candidates_)
    if (c.expected && c.point[0] >= 0 && c.point[1] >= 0 &&
        points.block(c.point[0]) != points.block(c.point[1]))
      out.push_back({points.block(c.point[0]), points.block(c.point[1])});
}

Vec3d PointContact::velocity(const Candidate& c, const Points& points) const {
  Vec3d u = Vec3d::zero();
  if (c.point[0] >= 0) u += points.u[at_index(c.point[0])];
  if (c.point[1] >= 0) u -= points.u[at_index(c.point[1])];
  return u;
}

void PointContact::refresh(const Points& points) {
  load_ = 0;
  smallest_gap_ = 1e300;
  impulses_off_ = impulses_apart_ = 0;
  points_ = &points;
  for (Candidate& c : candidates_) {
    if (with_impulses_)
      answer_with_impulse(c, points);
    else
      answer(c, points);
    load_ += norm(c.value.impulse) / h_;
    smallest_gap_ =
        std::min(smallest_gap_, c.sample.gap + h_ * dot(velocity(c, points), c.sample.n));
  }
}

// The law at a velocity in the contact's frame.
SapValue<double> PointContact::law_at(const Candidate& c, const Vec3d& v) const {
  return is_cone() ? sap_law(c.sap, v) : hunt_crossley_law(c.hunt, v);
}

// The law at the velocities of points.
void PointContact::answer(Candidate& c, const Points& points) const {
  c.value = law_at(c, transpose(c.frame) * velocity(c, points));
  c.impulse = c.frame * c.value.impulse;
}

Energy PointContact::evaluate(const Evaluation& e) {
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

FeaturePair PointContact::key(const Candidate& c) const {
  const PointShape &a = shapes_[at_index(c.shape[0])], &b = shapes_[at_index(c.shape[1])];
  FeaturePair k;
  k.env = a.link ? a.link->env() : b.link->env();
  k.body_a = a.link ? a.link->body() : a.body;
  k.body_b = b.link ? b.link->body() : b.body;
  k.feature_a = name_feature(c.sample.feature_a, c.shape[0]);
  k.feature_b = name_feature(c.sample.feature_b, c.shape[1]);
  return k;
}

void PointContact::commit(const StepContext& context, const Points& points) {
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
    r.feature_a = k.feature_a;
    r.feature_b = k.feature_b;
    if (c.point[0] >= 0) r.point_a = single(c.point[0]);
    if (c.point[1] >= 0) r.point_b = single(c.point[1]);
    const int p = c.point[0] >= 0 ? c.point[0] : c.point[1];
    r.p = points.x[at_index(p)];
    r.n = c.sample.n;
    r.gap = c.sample.gap + context.h * normal_speed;
    r.area = c.sample.area;
    r.force = (1.0 / context.h) * c.impulse;
    r.normal_force = dot(r.force, r.n);
    r.tangential_force = r.force - r.normal_force * r.n;
    r.slip = u - normal_speed * r.n;
    r.friction = c.friction;
    r.sticking = c.value.stick;
    contacts_.push_back(r);
  }
  keep_notes();
  anchors_.sort();
}

}  // namespace haptos
