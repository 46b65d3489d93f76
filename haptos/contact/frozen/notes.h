// What frozen contact notes in the history of a pair of surfaces beside its contacts, by the number
// that stands in place of parts of surfaces (system/contact_history.h). One list, so that no two
// notes of a pair have one key.
#pragma once

#include <cstdint>

#include "haptos/system/contact_history.h"

namespace haptos {

enum Note : std::int32_t {
  // Of point contact.
  kPointParting = -2,  ///< what is left of an overlap at the start of a run
  kPointLifted = -3,   ///< a contact that was lifted off
  // Of boundary-layer contact.
  kLayerParting = -101,  ///< what is left of an overlap at the start of a run
  kLayerSide = -103,     ///< on which side of the other one a body was
  kLayerPlace = -104,    ///< where the samples of a pair that hardly moves were found
  kLayerTurn = -105,     ///< the same, how it was turned
  // Of coats.
  kCoatForce = -106,  ///< force on a node of a coat, pad's frame; its friction with feature_b 1
  kCoatProbe = -107,  ///< pressure on a probe of a coat, in normal_force [N]
  // Of the laws of both.
  kLoad = -102,  ///< what a pair has been proven to bear
};
static_assert(kCoatProbe >= kNotes);

}  // namespace haptos
