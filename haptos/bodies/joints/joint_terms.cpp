#include "haptos/bodies/joints/joint_terms.h"

#include <cmath>

#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"

namespace haptos {
namespace {

void check(const Articulation& body, int joint, const char* what, double value) {
  body.check_unknown(joint);
  if (!(value >= 0) || !std::isfinite(value))
    throw InputError({"", 0, 0, body.spec().name + "." + what, internal::format_number(value),
                      "must be 0 or more and finite", "give it in SI units per radian"});
}

}  // namespace

JointDamping::JointDamping(const Articulation* body, int joint, double damping)
    : block_(body->slots().first_block),
      joint_(joint),
      scalar_(body->slots().first_scalar + joint),
      damping_(damping) {
  check(*body, joint, "damping", damping);
}

Energy JointDamping::evaluate(const Evaluation& e) {
  const double rate = (*e.z)[static_cast<std::size_t>(scalar_)];
  if (e.assembly) e.assembly->add_coordinate(block_, joint_, damping_ * rate, damping_);
  const double d = 0.5 * damping_ * square(rate);
  return {d, d};
}

JointSpring::JointSpring(const Articulation* body, int joint, double stiffness, double reference)
    : body_(body),
      block_(body->slots().first_block),
      joint_(joint),
      scalar_(body->slots().first_scalar + joint),
      stiffness_(stiffness),
      reference_(reference) {
  check(*body, joint, "stiffness", stiffness);
  body->check_coordinate(joint);
  if (!std::isfinite(reference))
    throw InputError({"", 0, 0, body->spec().name + ".reference",
                      internal::format_number(reference), "must be finite", "give it in rad"});
}

void JointSpring::prepare(const StepContext& context) {
  const int k = body_->coordinate_of(joint_);
  stretch_ = body_->start_position()[static_cast<std::size_t>(k)] - reference_;
  b_ = context.b;
}

Energy JointSpring::evaluate(const Evaluation& e) {
  const double s = fma(b_, (*e.z)[static_cast<std::size_t>(scalar_)], stretch_);
  if (e.assembly) e.assembly->add_coordinate(block_, joint_, stiffness_ * s, stiffness_);
  const double energy = 0.5 * stiffness_ * square(s);
  return {energy, energy};
}

}  // namespace haptos
