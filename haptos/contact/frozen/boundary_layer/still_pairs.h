// Pairs of surfaces that hardly move against each other: their samples are found once and carried
// along, while the place of one as the other one sees it stays within a small part of R.
//
// What is carried is a function of that place alone, and the place is kept with the state: a run
// that goes on from a saved state finds the same samples there, to the last bit. What is known of
// pairs that are far from each other only saves looking, and is kept nowhere.
#pragma once

#include <vector>

#include "haptos/geometry/layer/layer_contacts.h"
#include "haptos/system/contact_history.h"

namespace haptos {

/// Where samples were found: the first surface as the second one sees it, and how far they reach
/// beyond the layers [m].
struct StillPlace {
  Pose pose;
  double reach = 0;

  bool operator==(const StillPlace& o) const;
  /// As the notes that a history keeps of it.
  static constexpr int kNotes = 2;
  void write(ContactMemory (&notes)[kNotes]) const;
  static StillPlace read(const ContactMemory& first, const ContactMemory& second);
};

/// How far the box of a body moves at most between two places of it [m].
double largest_move(const Aabb& box, const Pose& from, const Pose& to);

/// Samples that are carried along.
struct StillSamples {
  StillPlace place;
  /// Points on the first surface in its frame; the other point and the normal in the frame of the
  /// second one.
  std::vector<ContactSample> samples;
  bool usable = false;  ///< cores neither cross nor are near to it
  bool found = false;

  /// Finds those of a place, if they are not there. a and b are the surfaces, wherever they are.
  void find(const LayerSurface& a, const LayerSurface& b, const StillPlace& at,
            LayerContacts& contacts);
  /// Appends them, where a and b are now, as far as they are within `reach`.
  void carry(const LayerSurface& a, const LayerSurface& b, double reach,
             std::vector<ContactSample>& out) const;
};

/// Where a pair was found to have nothing near: it is not looked at again before it has moved.
struct FarPlace {
  Pose pose;          ///< of the first surface as the second one sees it
  double clear = 0;   ///< beyond the layers there is nothing nearer [m]; 0: not known
  bool near = false;  ///< something was within reach when it was looked at last
};

}  // namespace haptos
