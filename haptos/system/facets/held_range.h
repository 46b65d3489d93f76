#pragma once

namespace haptos {

/// Scalar unknowns of a deformable body that is held: whatever moves them is held back `firmness`
/// times as much as by their mass alone, in the mode that is held back least.
struct HeldRange {
  int begin = 0, end = 0;
  double firmness = 1;
};

}  // namespace haptos
