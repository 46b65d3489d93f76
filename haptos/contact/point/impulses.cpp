// Point contact with its impulses as unknowns (point_contact.h, solve/impulse_newton.h).
#include <algorithm>
#include <cmath>

#include "haptos/contact/point/point_contact.h"
#include "haptos/contact/point/sap_impulse.h"

namespace haptos {
namespace {

// D of sap_impulse.h as a part of the contact's inverse mass: a contact is told to push where it
// would close at the speed that its impulse gives one body alone. At a tenth active sets go round
// in circles; three times as much is as good.
constexpr double kSoftness = 1;

}  // namespace

// The impulse that a contact may start from: of the last step, held by its spring without slip.
Vec3d PointContact::last_impulse(const Candidate& c) const {
  Vec3d g{{c.sap.v_hat[0] / c.sap.r_t, c.sap.v_hat[1] / c.sap.r_t, h_ * c.pressed}};
  const double most = c.friction * g[2], size = std::hypot(g[0], g[1]);
  if (size > most) g[0] *= most / size, g[1] *= most / size;
  return g;
}

bool PointContact::begin_impulses() {
  if (!is_cone() || candidates_.empty()) return false;
  for (Candidate& c : candidates_) {
    c.base = c.started ? transpose(c.frame) * c.impulse : last_impulse(c);
    c.give = Mat3d::zero();
    c.gamma = c.at = Vec3d::zero();
    c.started = true;
  }
  part_ = 1;
  with_impulses_ = true;
  return true;
}

// Takes what the last linear system gave the impulse, says how far that is from the law, and
// linearises anew.
void PointContact::answer_with_impulse(Candidate& c, const Points& points) {
  const Vec3d v = transpose(c.frame) * velocity(c, points);
  c.gamma += part_ * (c.base - c.gamma) - c.give * (v - c.at);
  impulses_off_ += norm(sap_law(c.sap, v).impulse - c.gamma) / h_;
  const SapStep s = sap_step(c.sap, v, c.gamma, kSoftness * c.inverse_mass);
  c.at = v;
  c.base = s.base;
  c.give = s.give;
  c.value = {};
  c.value.stick = s.stick;
  c.value.slip = s.slip;
  c.value.hessian = s.give;
  c.impulse = c.frame * s.base;
}

}  // namespace haptos
