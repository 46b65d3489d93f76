#include "haptos/contact/point/point_contact.h"

#include <algorithm>
#include <cmath>

#include "haptos/potential/regularisation.h"

namespace haptos {
namespace {

// Candidates reach at least this far [m]: covers the first step of a point (radius 0) at rest.
constexpr double kReach = 1e-3;

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

double half_thickness(const Aabb& b) {
  double t = 1e300;
  for (int k = 0; k < 3; ++k) t = std::min(t, 0.5 * (b.hi[k] - b.lo[k]));
  return t;
}

// A feature of a shape, for records: apart from those of the other shapes of a body.
std::int64_t name_feature(std::int64_t feature, int shape) {
  const auto mixed = static_cast<std::uint64_t>(feature) +
                     static_cast<std::uint64_t>(shape) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::int64_t>(mixed & 0x7fffffffffffffffULL);
}

double combine_friction(double a, double b) {
  if (a < 0) return std::max(b, 0.0);
  return b < 0 ? a : sqrt(a * b);
}

// One where k is infinite.
double compliance(double k) { return std::isinf(k) ? 0 : 1 / k; }

}  // namespace

const std::vector<Option<SapOptions>>& OptionsOf<SapOptions>::table() {
  using O = SapOptions;
  static const std::vector<Option<O>> t = {
      {"stiffness", "N/m", &O::stiffness, 1e-6, 1e16,
       "contact stiffness; above what the time step resolves the near-rigid bound takes its place"},
      {"relaxation_time", "s", &O::relaxation_time, 0, 1e3,
       "dissipation as a time: the contact's damping is stiffness times this"},
      {"friction", "", &O::friction, 0, 100, "coefficient of friction"},
      {"near_rigid", "", &O::near_rigid, 0, 100,
       "shortest period of a contact in time steps; 0 uses the stiffness as it is"},
      {"stick_compliance", "", &O::stick_compliance, 1e-9, 1,
       "tangential regularisation as a fraction of the contact's inverse mass; sticking contacts "
       "creep in proportion to it"},
  };
  return t;
}

PointContact::PointContact(std::vector<PointShape> shapes, const SapOptions& law,
                           std::vector<std::array<int, 2>> excluded)
    : shapes_(std::move(shapes)), law_(law), excluded_(std::move(excluded)) {
  check_options(law_);
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const PointShape& s = shapes_[i];
    const std::string element = "point_contact.shapes[" + std::to_string(i) + "]";
    const auto refuse = [&](const char* what, double value, const char* rule, const char* remedy) {
      throw InputError({"", 0, 0, element + what, internal::format_number(value), rule, remedy});
    };
    if (!(s.stiffness > 0)) refuse(".stiffness", s.stiffness, "must be positive", "give it in N/m");
    if (!(s.relaxation_time >= 0 && std::isfinite(s.relaxation_time)))
      refuse(".relaxation_time", s.relaxation_time, "must be 0 or more", "give it in s");
    if (!std::isfinite(s.friction)) refuse(".friction", s.friction, "must be finite", "correct it");
  }
  for (auto& [i, j] : excluded_)
    if (i > j) std::swap(i, j);
  std::sort(excluded_.begin(), excluded_.end());
}

bool PointContact::may_touch(int i, int j) const {
  const PointShape &a = shapes_[at_index(i)], &b = shapes_[at_index(j)];
  if (a.link == b.link || (a.link && b.link && a.link->env() != b.link->env())) return false;
  return !std::binary_search(excluded_.begin(), excluded_.end(), std::array<int, 2>{i, j});
}

// Of the corners of the shape's box, at the start of the step.
double PointContact::largest_speed(const PointShape& s, const Aabb& box,
                                   const std::vector<double>& z) {
  if (!s.link || !bounded(box)) return 0;
  const int n = s.link->columns();
  jacobian_.resize(at_index(3 * n));
  double fastest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3d x, u = Vec3d::zero();
    for (int k = 0; k < 3; ++k) x[k] = corner >> k & 1 ? box.hi[k] : box.lo[k];
    s.link->jacobian(x, jacobian_.data());
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < n; ++c)
        u[r] = fma(jacobian_[at_index(r * n + c)], z[at_index(s.link->first_scalar() + c)], u[r]);
    fastest = std::max(fastest, norm(u));
  }
  return fastest;
}

void PointContact::prepare(const StepContext& context) {
  h_ = context.h;
  candidates_.clear();
  const auto n = shapes_.size();
  pose_.resize(n);
  box_.resize(n);
  speed_.resize(n);
  std::vector<Aabb> reach(n);
  for (std::size_t i = 0; i < n; ++i) {
    const PointShape& s = shapes_[i];
    pose_[i] = s.link ? compose(s.link->pose(), s.frame) : s.frame;
    box_[i] = s.shape.bounds(pose_[i]);
    speed_[i] = largest_speed(s, box_[i], *context.z);
    reach[i] = box_[i];
    const double d = 2 * h_ * speed_[i] + 0.5 * kReach +
                     (bounded(box_[i]) ? 0.5 * half_thickness(box_[i]) : 0.0);
    for (int k = 0; k < 3; ++k) reach[i].lo[k] -= d, reach[i].hi[k] += d;
  }
  broad_phase_.pairs(
      reach, 0.0, [this](int i, int j) { return may_touch(i, j); }, pairs_);
  for (const auto& [i, j] : pairs_) {
    const std::size_t a = at_index(i), b = at_index(j);
    const double thin = std::min(half_thickness(box_[a]), half_thickness(box_[b]));
    const double margin = 2 * h_ * (speed_[a] + speed_[b]) + 0.5 * thin + kReach;
    samples_.clear();
    collide(shapes_[a].shape, pose_[a], shapes_[b].shape, pose_[b], margin, samples_);
    for (const ContactSample& s : samples_) add_candidate(context, i, j, s);
  }
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
  for (int k = 0; k < 2; ++k) {
    const Link* link = side[k]->link;
    if (!link) continue;
    const int n = link->columns();
    const Vec3d x = sample.gap < 0 ? middle : k == 0 ? sample.p_a : sample.p_b;
    jacobian_.resize(at_index(3 * n));
    link->jacobian(x, jacobian_.data());
    add_delassus(jacobian_.data(), n, context.inverse_mass->data() + link->first_scalar(),
                 delassus);
    c.point[k] =
        context.points->add_link(link->block(), link->body(), link->env(), x, jacobian_.data(), n);
  }
  const double w = delassus_estimate(delassus), h = context.h;
  const double ca = compliance(side[0]->stiffness), cb = compliance(side[1]->stiffness);
  const double k = sample.share / (ca + cb);
  const double tau =
      ca + cb > 0 ? (ca * side[0]->relaxation_time + cb * side[1]->relaxation_time) / (ca + cb) : 0;
  c.law.friction = combine_friction(side[0]->friction, side[1]->friction);
  c.law.r_n = std::max(near_rigid_bound(law_.near_rigid, w), 1.0 / (h * k * (h + tau)));
  c.law.r_t = law_.stick_compliance * w;
  c.law.v_hat = {{0, 0, sample.gap > 0 ? -sample.gap / h : -sample.gap / (h + tau)}};
  candidates_.push_back(c);
}

void PointContact::step_couplings(const Points& points,
                                  std::vector<std::array<int, 2>>& out) const {
  for (const Candidate& c : candidates_)
    if (c.point[0] >= 0 && c.point[1] >= 0 && points.block(c.point[0]) != points.block(c.point[1]))
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
  for (Candidate& c : candidates_) {
    const Vec3d v = transpose(c.frame) * velocity(c, points);
    c.value = sap_law(c.law, v);
    c.impulse = c.frame * c.value.impulse;
    load_ += norm(c.value.impulse) / h_;
    smallest_gap_ = std::min(smallest_gap_, c.sample.gap + h_ * v[2]);
  }
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
    const Mat3d g = c.frame * c.value.hessian * transpose(c.frame);
    const Mat3d h = 0.5 * (g + transpose(g));
    if (a >= 0) e.assembly->add_hessian(a, a, h);
    if (b >= 0) e.assembly->add_hessian(b, b, h);
    if (a >= 0 && b >= 0) e.assembly->add_hessian(a, b, -h);
  }
  return total;
}

void PointContact::commit(const StepContext& context, const Points& points) {
  contacts_.clear();
  for (const Candidate& c : candidates_) {
    if (!c.value.stick && !c.value.slip) continue;
    const PointShape &a = shapes_[at_index(c.shape[0])], &b = shapes_[at_index(c.shape[1])];
    const Vec3d u = velocity(c, points);
    const double normal_speed = dot(u, c.sample.n);
    ContactPoint r;
    r.env = a.link ? a.link->env() : b.link->env();
    r.body_a = a.link ? a.link->body() : a.body;
    r.body_b = b.link ? b.link->body() : b.body;
    r.feature_a = name_feature(c.sample.feature_a, c.shape[0]);
    r.feature_b = name_feature(c.sample.feature_b, c.shape[1]);
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
    r.friction = c.law.friction;
    r.sticking = c.value.stick;
    contacts_.push_back(r);
  }
}

}  // namespace haptos
