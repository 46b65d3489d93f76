// What a contact whose stiffness is left open is taken to carry, from step to step.
//
// Such a contact is as stiff as what it carried in the last step asks for. But where a body is
// jammed, between two walls that are too near each other, its force is its stiffness times an
// overlap that stays: each step would make it stiffer, and press more, without end. So stiffness
// has to prove itself. After a rise of the force that is told, by a factor r at a depth D, the next
// rise waits until the depth has left D by a factor sqrt(r):
//
//   below: the contact sinks less, so its force was a load;
//   above: it sinks more though it is stiffer, so the load is new.
//
// A load that grew meanwhile can hide that. So where nothing is proven after some steps, a small
// rise is tried once. Where the depth stays even then, so does the stiffness. A force that falls is
// followed at once, and what was proven holds for when it comes back. Kept in the State's contact
// history, one entry for each pair of shapes that carries much: normal_force is what is proven,
// anchor holds D and r, first_step the step of the last rise, slipping whether a small rise
// was tried.
#pragma once

#include <cstdint>
#include <vector>

#include "haptos/system/contact_history.h"

namespace haptos {

class CarriedLoads {
 public:
  /// Starts a step; the history must outlive it. nullptr: nothing is remembered.
  void begin(const ContactHistory* history, std::int64_t step) {
    history_ = history, step_ = step;
    notes_.clear();
  }
  /// The force by which the stiffness is told [N].
  /// @param pair  names the pair of shapes
  /// @param force  normal force at the last step [N], above `borne`
  /// @param borne  force that the contact bears without being stiffened [N]
  /// @param depth  by which it overlaps now [m]
  double told(const FeaturePair& pair, double force, double borne, double depth);
  void remember(ContactHistory& next) const;

 private:
  const ContactHistory* history_ = nullptr;
  std::int64_t step_ = 0;
  std::vector<ContactHistory::Entry> notes_;
};

}  // namespace haptos
