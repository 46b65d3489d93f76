// Live contact, barrier or mortar, of many bodies as one term: all pairs of surfaces that may
// touch, of which only those whose boxes come near each other do anything.
//
// A pair is near when its boxes are closer than its support plus the reach of both surfaces, the
// motion that each is expected to make in the step with a margin. A motion beyond a surface's reach
// looks for near pairs again, so none is missed; pairs once near stay so for the rest of the step,
// since they hold lagged friction. So n bodies cost n boxes and a tree, and the pairs that are far
// apart, of which there are n^2 / 2, cost nothing: their terms are not even made before they come
// near for the first time.
//
// Everything else is the pair's own term (barrier_term.h, mortar_term.h), asked in the order in
// which the pairs were added.
#pragma once

#include <memory>

#include "haptos/contact/live/barrier/barrier_term.h"

namespace haptos {

class LiveGroup : public ContactTerm {
 public:
  /// Adds a pair, as make_barrier_term() and make_mortar_term() take it; the surfaces must outlive
  /// the group. No divisions (0): suggested_divisions() of the pair.
  virtual void add(const ContactSurface* soft, const ContactSurface* collider,
                   const LiveSetup& setup) = 0;
  /// Pairs that were added, and those of the last step that were near.
  virtual int pair_count() const = 0;
  virtual int near_count() const = 0;
};

std::unique_ptr<LiveGroup> make_live_group();

}  // namespace haptos
