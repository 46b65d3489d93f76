// The laws of frozen contact: what a sample's constants are made of, what is lagged, what sticks.
#include <algorithm>
#include <cmath>
#include <utility>

#include "haptos/base/math/index.h"
#include "haptos/contact/friction/lag_key.h"
#include "haptos/contact/frozen/frozen_contact.h"
#include "haptos/contact/frozen/notes.h"
#include "haptos/system/regularisation.h"

namespace haptos {
namespace {

// Slip below which friction without a normal force yet would stick [m/s].
constexpr double kSlowest = 1e-12;
// Earth's gravity, by which the default stiffness is told [m/s2].
constexpr double kGravity = 9.81;
// Part of the compliance with which a contact sticks in its first step: it has no spring yet that
// would carry its load without slip.
constexpr double kFresh = 0.01;
// A sample of a small share has at most so many times the near-rigid bound of one that stands
// alone: a body may come to stand on it.
constexpr double kSoftest = 10;
// A contact whose stiffness is left open carries so many times the weight of its bodies as soft as
// that; piles and impacts pay for stiffness. It sinks no deeper under what is heavier.
constexpr double kLoads = 10;
// And gets at most so many times as stiff.
constexpr double kStiffest = 1e4;

double combine_friction(double a, double b) {
  if (a < 0) return std::max(b, 0.0);
  return b < 0 ? a : sqrt(a * b);
}

// One where k is infinite.
double compliance(double k) { return std::isinf(k) ? 0 : 1 / k; }

}  // namespace

// J diag(M)^-1 J^T of the centre of mass: of a free body 1 / m, wherever it is touched.
const Mat3d& FrozenContact::centre_delassus(int surface) {
  Mat3d& w = centre_[at_index(surface)];
  if (std::exchange(centre_known_[at_index(surface)], 1)) return w;
  w = Mat3d::zero();
  const Link* link = surfaces_[at_index(surface)].link;
  if (!link) return w;
  const int n = link->columns();
  jacobian_.resize(at_index(3 * n));
  link->jacobian(link->centre(), jacobian_.data());
  add_delassus(jacobian_.data(), n, inverse_mass_ + link->first_scalar(), w);
  return w;
}

// Of a contact whose stiffness is left open: a free body sinks by `sag` under its own weight, two
// that meet by as much under that of their effective mass.
double FrozenContact::open_stiffness(const Candidate& c) {
  const Vec3d& n = c.sample.n;
  const double w = dot(n, (centre_delassus(c.surface[0]) + centre_delassus(c.surface[1])) * n);
  return w > 0 ? kGravity / (law_.sag * w) : 1;
}

FrozenContact::Mixed FrozenContact::mix(const Candidate& c, double open) const {
  const ContactSample& s = c.sample;
  double given = 0, each[2];
  bool is_open[2];
  for (int k = 0; k < 2; ++k) {
    const FrozenSurface& p = surface(c.surface[k]);
    const bool area = p.modulus > 0 && s.area > 0;
    is_open[k] = !area && p.stiffness == FrozenSurface::kAuto;
    each[k] = is_open[k]
                  ? 0
                  : compliance((area ? p.modulus * s.area : p.stiffness * s.share) * s.stiffer);
    given += each[k];
  }
  // Numbers decide; where there are none, the sides that leave it open.
  if (!(given > 0) && (is_open[0] || is_open[1])) {
    const int sides = is_open[0] + is_open[1];
    for (int k = 0; k < 2; ++k) each[k] = is_open[k] ? 1 / (open * s.share * s.stiffer * sides) : 0;
  }
  double sum = 0, time = 0, damping = 0;
  for (int k = 0; k < 2; ++k) {
    const FrozenSurface& p = surface(c.surface[k]);
    sum += each[k];
    time += each[k] * p.relaxation_time;
    damping += each[k] * p.dissipation;
  }
  const bool damps = rates_ && sum > 0;
  return {1 / sum, damps ? time / sum : 0, damps ? damping / sum : 0,
          friction_of(c.surface[0], c.surface[1])};
}

void FrozenContact::set_pair_friction(int i, int j, double friction) {
  const std::array<int, 2> pair = {std::min(i, j), std::max(i, j)};
  const auto it = std::ranges::lower_bound(pair_friction_, pair, {}, &PairFriction::surfaces);
  if (it != pair_friction_.end() && it->surfaces == pair)
    it->friction = friction;
  else
    pair_friction_.insert(it, {pair, friction});
}

double FrozenContact::friction_of(int i, int j) const {
  const std::array<int, 2> pair = {std::min(i, j), std::max(i, j)};
  const auto it = std::ranges::lower_bound(pair_friction_, pair, {}, &PairFriction::surfaces);
  if (it != pair_friction_.end() && it->surfaces == pair) return it->friction;
  return combine_friction(surface(i).friction, surface(j).friction);
}

// What the last step left of each contact of a pair.
void FrozenContact::recall(std::size_t first) {
  if (!remembers()) return;
  double pair_force = 0, known_force = 0, new_shares = 0;
  for (std::size_t k = first; k < candidates_.size(); ++k) {
    Candidate& c = candidates_[k];
    bool own = false;
    const ContactMemory* memory = anchors_.find(key(c), c.surface[0], c.surface[1], c.slipped, own);
    c.fresh = law_.anchored && !memory && !(c.stick.stiffness > 0) && !c.yields;
    if (!memory) continue;
    if (law_.anchored) c.carried = transpose(c.frame) * memory->anchor;
    c.carried[2] = 0;
    if (own) {
      known_force += c.pressed = memory->normal_force;
    } else {
      pair_force = memory->normal_force;
      new_shares += c.sample.share;
      c.pressed = -1;
    }
  }
  // New features share what the pair's contacts that are gone have left: often nothing.
  const double left = std::max(pair_force - known_force, 0.0) / std::max(new_shares, 1e-300);
  for (std::size_t k = first; k < candidates_.size(); ++k)
    if (candidates_[k].pressed < 0) candidates_[k].pressed = left * candidates_[k].sample.share;
}

// Force that a contact with an open stiffness bears before it is made stiffer [N].
double FrozenContact::borne(const Candidate& c, double stiffness) const {
  return kLoads * stiffness * law_.sag * c.sample.share;
}

// Part of the normal force of the last step by which open stiffnesses of a pair are told.
double FrozenContact::part_told(std::size_t first) {
  double force = 0, soft = 0, depth = 0;
  for (std::size_t k = first; k < candidates_.size(); ++k) {
    const Candidate& c = candidates_[k];
    if (!(c.pressed > 0)) continue;
    const double bears = borne(c, open_stiffness(c));
    if (!(c.pressed > bears)) continue;
    force += c.pressed, soft += bears;
    depth += c.pressed * std::max(-c.sample.gap, 0.0);
  }
  if (!(force > 0)) return 1;
  const int* side = candidates_[first].surface;
  FeaturePair pair = bodies_of(surface(side[0]), surface(side[1]));
  pair.part_a = pair.part_b = kLoad;
  pair.feature_a = side[0], pair.feature_b = side[1];
  return carried_.told(pair, force, soft, depth / force) / force;
}

// What the samples of a pair have in common, then the law of each.
void FrozenContact::set_laws(std::size_t first) {
  recall(first);
  double mean = 0, squares = 0;
  for (std::size_t k = 0; k < starts_.size(); ++k) {
    const double share = candidates_[first + k].sample.share;
    mean += share * delassus_estimate(starts_[k].delassus);
    squares += share * share;
  }
  const int* side = candidates_[first].surface;
  const bool open = surface(side[0]).stiffness == FrozenSurface::kAuto ||
                    surface(side[1]).stiffness == FrozenSurface::kAuto;
  const double told = open && is_cone() ? part_told(first) : 0;
  for (std::size_t k = 0; k < starts_.size(); ++k) {
    Candidate& c = candidates_[first + k];
    const double w = delassus_estimate(starts_[k].delassus);
    // As stiff together as so many samples of equal shares, but each by its share.
    const double equal = mean * squares / std::max(c.sample.share, 1e-300);
    double bound =
        c.as_given ? 0 : near_rigid_bound(law_.near_rigid, std::min(equal, kSoftest * w));
    double stiffness = open ? open_stiffness(c) : 1;
    c.inverse_mass = w;
    c.sticks = law_.stick_compliance * w;
    if (c.stick.stiffness > 0) set_stick(c);
    if (told > 0 && c.pressed > 0) {
      const double load = std::clamp(told * c.pressed / borne(c, stiffness), 1.0, kStiffest);
      stiffness *= load;
      bound /= load;
    }
    const Mixed m = mix(c, stiffness);
    c.friction = m.friction;
    if (c.yields) c.sticks = std::max({c.sticks, bound, 1 / (h_ * h_ * m.stiffness)});
    if (is_cone())
      set_sap(c, m, bound, starts_[k].velocity);
    else
      set_hunt_crossley(c, m, bound, starts_[k]);
  }
}

// A spring along the surface that holds the friction it starts with: without the relaxation time of
// the anchors, whose stretch counts half.
void FrozenContact::set_stick(Candidate& c) const {
  c.sticks = 1 / (h_ * h_ * c.stick.stiffness);
  c.carried = transpose(c.frame) * c.stick.friction * (-2 / c.stick.stiffness);
  c.carried[2] = 0;
}

void FrozenContact::set_sap(Candidate& c, const Mixed& m, double bound,
                            const Vec3d& velocity) const {
  const double gap = c.sample.gap, end = h_ + m.relaxation_time;
  c.sap.friction = m.friction;
  c.sap.r_n = std::max(bound, 1.0 / (h_ * m.stiffness * end));
  c.sap.r_t = stick_compliance(c);
  c.sap.v_hat = c.carried * (-0.5 / h_) - c.rolls;
  c.sap.v_hat[2] = gap > 0 ? -gap / h_ : -gap / end;
  // What slipped goes on with the normal force that it had. What the cone would lift though it does
  // not touch starts without friction. For the rest the cone is Coulomb's law until it slips.
  if (law() == PointLaw::kSap) return;
  const double end_gap = gap + h_ * velocity[2];
  const double lift = h_ * m.friction * sqrt(square(velocity[0]) + square(velocity[1]));
  c.sap.lagged = c.slipped > 0 ? h_ * c.slipped : end_gap > 0 && end_gap < lift ? 0 : -1;
}

void FrozenContact::set_hunt_crossley(Candidate& c, const Mixed& m, double bound,
                                      const Start& start) const {
  HuntCrossleyContact<double>& l = c.hunt;
  l.friction = m.friction;
  l.step = h_;
  l.gap = c.sample.gap;
  l.stiffness = bound > 0 ? std::min(m.stiffness, 1 / (h_ * h_ * bound)) : m.stiffness;
  l.dissipation = m.dissipation;
  const double v = start.velocity[2], stops = std::max(-v, 0.0) / start.delassus(2, 2);
  const double expected =
      std::min(hunt_crossley_normal(l, v).impulse, hunt_crossley_normal(l, 0.0).impulse + stops);
  const bool lagged = law() == PointLaw::kLagged;
  const double gamma = lagged && c.slipped > 0 ? h_ * c.slipped : expected;
  l.lagged = lagged ? gamma : -1;
  l.slip_speed = stick_speed(c, gamma);
  // Under the similar law e is not that of the impulse in the end. Where none is expected contacts
  // would be rigid along the surface, so e is at least that of a new one under the bodies' weight.
  if (!lagged && rates_)
    l.slip_speed =
        std::max(l.slip_speed, m.friction * kFresh * law_.stick_compliance * h_ * kGravity);
  l.v_hat_1 = c.carried[0] * (-0.5 / h_) - c.rolls[0];
  l.v_hat_2 = c.carried[1] * (-0.5 / h_) - c.rolls[1];
}

// e of Hunt and Crossley's laws under a normal impulse.
double FrozenContact::stick_speed(const Candidate& c, double gamma) const {
  return std::max(law_.anchored ? kSlowest : law_.stiction_speed,
                  c.friction * stick_compliance(c) * gamma);
}

// R_t [1/kg].
double FrozenContact::stick_compliance(const Candidate& c) const {
  return c.fresh ? kFresh * c.sticks : c.sticks;
}

double& FrozenContact::lagged_impulse(Candidate& c) const {
  return law() == PointLaw::kCoulomb ? c.sap.lagged : c.hunt.lagged;
}

// `gamma` below 0: the cone, or of Hunt and Crossley's the similar law.
void FrozenContact::lag(Candidate& c, double gamma) const {
  set_lagged_impulse(c, gamma);
  answer(c, *points_);
}

void FrozenContact::set_lagged_impulse(Candidate& c, double gamma) const {
  lagged_impulse(c) = gamma;
  if (law() == PointLaw::kLagged && gamma >= 0) c.hunt.slip_speed = stick_speed(c, gamma);
}

// Friction of the normal impulse that it comes with: what slips takes that of the minimum, and what
// sticks in the cone stays there.
void FrozenContact::renew_lags(const Points&, std::vector<LagRow>& rows) {
  for (Candidate& c : candidates_) {
    const Vec3d& g = c.value.impulse;
    if (c.followed && c.value.stick && std::hypot(g[0], g[1]) <= c.friction * g[2])
      lagged_impulse(c) = -1;  // sticks in the cone, which is as good
    c.followed = false;
    c.lagged_before = lagged_impulse(c);
    c.in_rows = c.friction > 0 && (c.lagged_before >= 0 || c.value.slip);
    if (!c.in_rows) continue;
    const double gamma = c.value.impulse[2];
    LagRow r;
    r.key = lag_key(key(c));
    r.was = r.is = true;
    r.used = c.sample.n * (std::max(c.lagged_before, 0.0) / h_);
    r.now = r.next = c.sample.n * (gamma / h_);
    rows.push_back(r);
    if (gamma != c.lagged_before) lag(c, gamma);
  }
}

// What the passes did not know of keeps what it lags.
void FrozenContact::set_lags(std::span<const LagRow> rows) {
  std::size_t i = 0;
  for (Candidate& c : candidates_) {
    if (!c.in_rows) continue;
    const LagRow& r = rows[i++];
    if (r.known && lagged_impulse(c) >= 0) lag(c, std::max(h_ * dot(r.next, c.sample.n), 0.0));
  }
}

void FrozenContact::undo_lags() {
  if (!points_) return;
  for (Candidate& c : candidates_)
    if (lagged_impulse(c) != c.lagged_before) lag(c, c.lagged_before);
}

// The cone sees the normal force of the answer, though it lifts what slides.
void FrozenContact::drop_lags() {
  if (!points_) return;
  for (Candidate& c : candidates_) lag(c, -1);
}

// Far from the minimum: along the slip as stiff as across it, |gamma_t| / |u|. The curvature there
// is nearly nothing until the contact sticks, so that Newton runs over one kink after the other;
// with this the model lies above the energy, and what will stick comes to rest together.
void FrozenContact::widen(const Candidate& c, const Vec3d& v, double caution,
                          Mat3d& hessian) const {
  const bool sap = is_cone();
  const double u0 = v[0] - (sap ? c.sap.v_hat[0] : c.hunt.v_hat_1);
  const double u1 = v[1] - (sap ? c.sap.v_hat[1] : c.hunt.v_hat_2);
  const double size = sqrt(u0 * u0 + u1 * u1);
  if (!(size > 0)) return;
  const double t[2] = {u0 / size, u1 / size};
  const double across =
      caution * sqrt(square(c.value.impulse[0]) + square(c.value.impulse[1])) / size;
  double along = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) along += t[i] * hessian(i, j) * t[j];
  if (!(across > along)) return;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) hessian(i, j) += (across - along) * t[i] * t[j];
}

// `velocity` in contact axes, at the end of the step.
void FrozenContact::keep_anchor(const Candidate& c, const Vec3d& velocity) {
  ContactMemory m;
  m.normal_force = c.value.impulse[2] / h_;
  m.slipping = c.value.slip;
  if (!law_.anchored) return anchors_.keep(key(c), c.surface[0], c.surface[1], m);
  // What sticks goes on from where it was. What slips, or touches for the first time, gets the
  // spring that holds what it carries, in the next step and without slip.
  Vec3d s =
      c.value.slip || c.fresh ? c.value.impulse * (-2 * h_ * c.sticks) : c.carried + velocity * h_;
  s[2] = 0;
  m.anchor = c.frame * s;
  anchors_.keep(key(c), c.surface[0], c.surface[1], m);
}

}  // namespace haptos
