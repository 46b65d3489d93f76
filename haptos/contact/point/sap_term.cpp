#include "haptos/contact/point/sap_term.h"

#include <algorithm>
#include <cmath>

namespace haptos {
namespace {

constexpr double kPi = 3.14159265358979323846;
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

SapTerm::SapTerm(std::vector<SapPair> pairs) : pairs_(std::move(pairs)) {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    SapPair& p = pairs_[i];
    const std::string element = "point_contact.pairs[" + std::to_string(i) + "]";
    check_options(p.law);
    if (!p.link)
      throw InputError({"", 0, 0, element + ".link", "none", "must be a link of a body",
                        "give the body that carries the sphere"});
    if (!(p.radius >= 0) || !std::isfinite(p.radius))
      throw InputError({"", 0, 0, element + ".radius", internal::format_number(p.radius),
                        "must be 0 or more and finite", "give it in m"});
    if (!(vabs(norm(p.normal) - 1) < 1e-6))
      throw InputError({"", 0, 0, element + ".normal", internal::format_number(norm(p.normal)),
                        "must have length 1", "normalise it"});
    if (!std::isfinite(p.offset))
      throw InputError({"", 0, 0, element + ".offset", internal::format_number(p.offset),
                        "must be finite", "give it in m along the normal"});
    p.normal = normalized(p.normal);
  }
}

void SapTerm::prepare(const StepContext& context) {
  h_ = context.h;
  candidates_.clear();
  std::vector<double> j;
  for (int i = 0; i < static_cast<int>(pairs_.size()); ++i) {
    const SapPair& p = pairs_[at_index(i)];
    const Vec3d centre = p.link->position(p.centre);
    const double gap = dot(p.normal, centre) - p.offset - p.radius;
    const int n = p.link->columns();
    j.resize(at_index(3 * n));
    p.link->jacobian(centre, j.data());
    double speed = 0;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < n; ++c)
        speed += p.normal[r] * j[at_index(r * n + c)] *
                 (*context.z)[at_index(p.link->first_scalar() + c)];
    if (gap <= 2 * context.h * vabs(speed) + 0.5 * p.radius + kReach)
      add_candidate(context, i, gap, centre);
  }
}

void SapTerm::add_candidate(const StepContext& context, int pair, double gap, const Vec3d& centre) {
  const SapPair& p = pairs_[at_index(pair)];
  const int n = p.link->columns();
  const Vec3d x = centre - (p.radius + 0.5 * std::min(gap, 0.0)) * p.normal;
  std::vector<double> j(at_index(3 * n));
  p.link->jacobian(x, j.data());

  // Frobenius norm of the Delassus estimate: the same in world and contact coordinates.
  double squares = 0;
  for (int r = 0; r < 3; ++r)
    for (int q = 0; q < 3; ++q) {
      double w = 0;
      for (int c = 0; c < n; ++c)
        w += j[at_index(r * n + c)] * j[at_index(q * n + c)] *
             (*context.inverse_mass)[at_index(p.link->first_scalar() + c)];
      squares += w * w;
    }
  const double w = sqrt(squares) / 3.0;
  const double h = context.h, tau = p.law.relaxation_time;

  Candidate c;
  c.pair = pair;
  c.point =
      context.points->add_link(p.link->block(), p.link->body(), p.link->env(), x, j.data(), n);
  c.gap = gap;
  c.frame = contact_frame(p.normal);
  c.law.friction = p.law.friction;
  c.law.r_n = std::max(square(p.law.near_rigid) / (4 * kPi * kPi) * w,
                       1.0 / (h * p.law.stiffness * (h + tau)));
  c.law.r_t = p.law.stick_compliance * w;
  c.law.v_hat = {{0, 0, gap > 0 ? -gap / h : -gap / (h + tau)}};
  candidates_.push_back(c);
}

void SapTerm::refresh(const Points& points) {
  load_ = 0;
  smallest_gap_ = 1e300;
  for (Candidate& c : candidates_) {
    const Vec3d v = transpose(c.frame) * points.u[at_index(c.point)];
    c.value = sap_law(c.law, v);
    c.impulse = c.frame * c.value.impulse;
    load_ += norm(c.value.impulse) / h_;
    smallest_gap_ = std::min(smallest_gap_, c.gap + h_ * v[2]);
  }
}

Energy SapTerm::evaluate(const Evaluation& e) {
  Energy total;
  for (const Candidate& c : candidates_) {
    if (!c.value.stick && !c.value.slip) continue;
    total += {c.value.cost, c.value.cost};
    if (!e.assembly) continue;
    e.assembly->add_gradient(c.point, -c.impulse);
    if (e.assembly->wants_hessian()) {
      const Mat3d g = c.frame * c.value.hessian * transpose(c.frame);
      e.assembly->add_hessian(c.point, c.point, 0.5 * (g + transpose(g)));
    }
  }
  return total;
}

void SapTerm::commit(const StepContext& context, const Points& points) {
  contacts_.clear();
  for (const Candidate& c : candidates_) {
    if (!c.value.stick && !c.value.slip) continue;
    const SapPair& p = pairs_[at_index(c.pair)];
    const Vec3d& u = points.u[at_index(c.point)];
    const double normal_speed = dot(u, p.normal);
    ContactPoint r;
    r.env = p.link->env();
    r.body_a = p.link->body();
    r.body_b = p.plane_body;
    r.feature_a = p.feature;
    r.feature_b = 0;
    r.point_a.count = 1;
    r.point_a.point[0] = c.point;
    r.point_a.weight[0] = 1;
    r.p = points.x[at_index(c.point)];
    r.n = p.normal;
    r.gap = c.gap + context.h * normal_speed;
    r.force = (1.0 / context.h) * c.impulse;
    r.normal_force = dot(r.force, r.n);
    r.tangential_force = r.force - r.normal_force * r.n;
    r.slip = u - normal_speed * r.n;
    r.friction = p.law.friction;
    r.sticking = c.value.stick;
    contacts_.push_back(r);
  }
}

}  // namespace haptos
