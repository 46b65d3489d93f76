// Frozen contact with its impulses as unknowns (frozen_contact.h, solve/newton/impulse_newton.h).
#include <algorithm>
#include <cmath>

#include "haptos/contact/frozen/frozen_contact.h"
#include "haptos/contact/frozen/law/hunt_crossley_impulse.h"
#include "haptos/contact/frozen/law/sap_impulse.h"

namespace haptos {
namespace {

// D of sap_impulse.h as a part of the contact's inverse mass: a contact is told to push where it
// would close at the speed that its impulse gives one body alone. At a tenth active sets go round
// in circles; three times as much is as good.
constexpr double kSoftness = 1;

}  // namespace

// The impulse that a contact may start from: of the last step, held by its spring without slip.
Vec3d FrozenContact::last_impulse(const Candidate& c) const {
  const double v0 = is_cone() ? c.sap.v_hat[0] : c.hunt.v_hat_1;
  const double v1 = is_cone() ? c.sap.v_hat[1] : c.hunt.v_hat_2;
  const double r_t = stick_compliance(c);
  Vec3d g{{v0 / r_t, v1 / r_t, h_ * c.pressed}};
  const double most = c.friction * g[2], size = std::hypot(g[0], g[1]);
  if (size > most) g[0] *= most / size, g[1] *= most / size;
  return g;
}

bool FrozenContact::begin_impulses(const ImpulseStart& start) {
  if (candidates_.empty() || (start.lags_follow && !lags())) return false;
  for (Candidate& c : candidates_) {
    const Vec3d gamma = start.goes_on ? c.now.gamma
                        : c.started   ? transpose(c.frame) * c.impulse
                                      : last_impulse(c);
    c.now = {gamma, Vec3d::zero(), gamma, Mat3d::zero()};
    c.started = true;
    if (start.lags_follow) c.followed = c.friction > 0 && (c.followed || lagged_impulse(c) < 0);
  }
  part_ = 1;
  again_ = false;
  with_impulses_ = true;
  lags_follow_ = start.lags_follow;
  return true;
}

// The law made linear at a velocity and an impulse. Where lags follow friction is bounded by the
// normal impulse that comes out.
SapStep FrozenContact::linear_law(const Candidate& c, const Vec3d& v, const Vec3d& gamma) const {
  const double softness = kSoftness * c.inverse_mass;
  const bool follows = lags_follow_ && c.friction > 0;
  if (is_cone()) {
    SapContact<double> law = c.sap;
    if (follows) law.lagged = soft_normal(c.sap, v, gamma, softness);
    return sap_step(law, v, gamma, softness);
  }
  HuntCrossleyContact<double> law = c.hunt;
  if (follows) {
    law.lagged = soft_normal(c.hunt, v, gamma, softness);
    law.slip_speed = stick_speed(c, law.lagged);
  }
  return hunt_crossley_step(law, v, gamma, softness);
}

// Takes what the last linear system gave the impulse, says how far that is from the law, and
// linearises anew.
void FrozenContact::answer_with_impulse(Candidate& c, const Points& points) {
  const Vec3d v = transpose(c.frame) * velocity(c, points);
  if (again_)
    c.now = c.before;
  else
    c.before = c.now;
  const Vec3d gamma =
      c.now.gamma + part_ * (c.now.base - c.now.gamma) - c.now.give * (v - c.now.at);
  if (lags_follow_ && c.friction > 0) set_lagged_impulse(c, std::max(gamma[2], 0.0));
  impulses_off_ += norm(law_at(c, v).impulse - gamma) / h_;
  const SapStep s = linear_law(c, v, gamma);
  impulses_apart_ += norm(s.answer - gamma) / h_;
  c.now = {gamma, v, s.base, s.give};
  c.value = {};
  c.value.stick = s.stick;
  c.value.slip = s.slip;
  c.value.hessian = s.give;
  c.impulse = c.frame * s.base;
}

}  // namespace haptos
