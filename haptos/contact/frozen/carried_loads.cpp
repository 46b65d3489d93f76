#include "haptos/contact/frozen/carried_loads.h"

#include <algorithm>
#include <cmath>

namespace haptos {
namespace {

// Steps after which a rise should have shown what it did.
constexpr std::int64_t kWait = 10;
// A small rise, and what the next one waits for where it did nothing.
constexpr double kTry = 1.2, kJammed = 4;

}  // namespace

double CarriedLoads::told(const FeaturePair& pair, double force, double borne, double depth) {
  ContactMemory m;
  m.normal_force = borne, m.anchor = {{depth, 1, 0}};
  if (history_)
    if (const auto before = history_->find(pair); before != history_->end()) m = before->second;
  const auto rise = [&](double factor, bool tried) {
    m.normal_force *= factor;
    m.anchor = {{depth, factor, 0}};
    m.first_step = step_;
    m.slipping = tried ? 1 : 0;
  };
  const double left = std::sqrt(m.anchor[1]);
  const bool stays = m.anchor[1] > 1 && depth * left > m.anchor[0] && depth < m.anchor[0] * left;
  const double more = force / m.normal_force;
  if (more > 1 && !stays) {
    rise(more, false);
  } else if (more > 1 && step_ - m.first_step >= kWait && m.anchor[1] != kJammed) {
    if (m.slipping)
      m.anchor = {{depth, kJammed, 0}};
    else
      rise(std::min(more, kTry), true);
  }
  notes_.emplace_back(pair, m);
  return std::min(force, m.normal_force);
}

void CarriedLoads::remember(ContactHistory& next) const {
  for (const auto& [pair, m] : notes_) next.insert_or_assign(pair, m);
}

}  // namespace haptos
