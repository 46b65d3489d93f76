// Anchored stick of point contact: how far each contact has been carried from where it stuck, from
// step to step.
//
// A contact that sticks has a tangential spring whose stretch s [m] is the sum of its slip since it
// touched. The law sees it as the slip velocity at which there would be no friction,
//
//   v_hat_t = -s / (2 h):   gamma_t = (v_hat_t - v_t) / R_t   with a spring of 1 / (2 h^2 R_t)
//
// and a relaxation time of one step, so that the stretch goes to what its load asks for within a
// few steps and stays: no creep. Where it slips, s is set so that without motion the next step
// would have exactly the friction that slips. A contact that ends is forgotten.
//
// Contacts are known again by their shapes and features (FeaturePair). One whose features are new
// in a pair of shapes that touched before, as where corners of a manifold change, takes the mean
// stretch of the pair: s belongs to the motion of the shapes, nearly alike for all contacts of a
// pair. Both are kept in the State's contact history: ContactMemory::anchor is s in world axes; the
// entry of a pair has its shapes' numbers as features, -1 - shape.
#pragma once

#include <vector>

#include "haptos/system/contact_history.h"

namespace haptos {

class StickAnchors {
 public:
  /// Starts a step; the history must outlive it. nullptr: nothing is remembered.
  void begin(const ContactHistory* history, std::int64_t step);
  /// What is remembered of a contact between two shapes; nullptr where it is new.
  /// @param slipped  set to the normal force of a contact that slipped at the last step [N]
  /// @param own  set to whether it is known by its own features; else what is returned is the
  ///        pair's, with the normal force of all its contacts together
  const ContactMemory* find(const FeaturePair& contact, int shape_a, int shape_b, double& slipped,
                            bool& own) const;

  /// Forgets what the last step left.
  void clear() { memory_.clear(), pairs_.clear(); }
  /// Keeps what a contact ended the step with; contacts of a pair one after the other.
  void keep(const FeaturePair& contact, int shape_a, int shape_b, const ContactMemory& memory);
  /// After the last contact: puts them in the order of the history.
  void sort();
  void remember(ContactHistory& next) const;

 private:
  struct Entry {
    FeaturePair key;
    ContactMemory memory;
    int count = 1;  // of contacts that it stands for
  };
  const ContactHistory* history_ = nullptr;
  std::int64_t step_ = 0;
  std::vector<Entry> memory_, pairs_;
};

}  // namespace haptos
