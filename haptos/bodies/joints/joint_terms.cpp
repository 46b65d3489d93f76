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

}  // namespace haptos
