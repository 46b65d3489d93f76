#include "haptos/contact/contact_term.h"

namespace haptos {

void ContactTerm::remember(const ContactHistory& previous, std::int64_t step,
                           ContactHistory& next) const {
  for (const ContactPoint& c : contacts_) {
    const FeaturePair key{c.env, c.body_a, c.body_b, c.feature_a, c.feature_b};
    ContactMemory m{c.normal_force, c.p, step};
    if (const auto it = previous.find(key); it != previous.end()) {
      m.anchor = it->second.anchor;
      m.first_step = it->second.first_step;
    }
    next[key] = m;
  }
}

}  // namespace haptos
