#include "haptos/contact/live/contact_term.h"

#include "haptos/base/borrowed.h"

namespace haptos {

void ContactTerm::renew_lags(const Points& points, std::vector<LagRow>& rows) {
  lag(points);
  friction_.add_lags(rows);
}

void ContactTerm::lag(const Points& points) {
  Borrowed<std::vector<FrictionContact>> touching;
  touching->clear();
  friction_contacts(points, *touching);
  friction_.lag(*touching, points, [this](const FeaturePair& k) { return anchor_surface(k); });
}

void ContactTerm::begin_friction(const StepContext& context) {
  friction_.begin(context.history, context.h);
  lag(*context.points);
}

void ContactTerm::end_friction(const StepContext& context, const Points& points) {
  Borrowed<std::vector<FrictionContact>> touching;
  touching->clear();
  friction_contacts(points, *touching);
  friction_.commit(
      *touching, points, [this](const FeaturePair& k) { return anchor_surface(k); }, context.step);
}

}  // namespace haptos
