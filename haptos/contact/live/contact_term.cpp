#include "haptos/contact/live/contact_term.h"

namespace haptos {

void ContactTerm::update_lag(const Points& points, LaggedForces& used, LaggedForces& now) {
  if (!friction_.active()) return;
  friction_.lagged(used);
  lag(points);
  friction_.lagged(now);
}

void ContactTerm::lag(const Points& points) {
  touching_.clear();
  friction_contacts(points, touching_);
  friction_.lag(touching_, points, [this](const FeaturePair& k) { return anchor_surface(k); });
}

void ContactTerm::begin_friction(const StepContext& context) {
  friction_.begin(context.history, context.h);
  lag(*context.points);
}

void ContactTerm::end_friction(const StepContext& context, const Points& points) {
  touching_.clear();
  friction_contacts(points, touching_);
  friction_.commit(
      touching_, points, [this](const FeaturePair& k) { return anchor_surface(k); }, context.step);
}

}  // namespace haptos
