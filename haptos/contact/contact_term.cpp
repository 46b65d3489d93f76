#include "haptos/contact/contact_term.h"

namespace haptos {

double ContactTerm::update_lag(const Points& points) {
  if (!friction_.active()) return 0;
  touching_.clear();
  friction_contacts(points, touching_);
  return friction_.lag(touching_, points,
                       [this](const FeaturePair& k) { return anchor_surface(k); });
}

void ContactTerm::begin_friction(const StepContext& context) {
  friction_.begin(context.history, context.h);
  update_lag(*context.points);
}

void ContactTerm::end_friction(const StepContext& context, const Points& points) {
  touching_.clear();
  friction_contacts(points, touching_);
  friction_.commit(
      touching_, points, [this](const FeaturePair& k) { return anchor_surface(k); }, context.step);
}

}  // namespace haptos
