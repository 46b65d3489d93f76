// Retraction: what a body offers whose unknowns move it along a curved set, if it is to stay in
// shape. A stiff body turns along rotations; a straight step along their tangent stretches it.
//
// Source: retractions on manifolds, Absil, Mahony and Sepulchre, Optimization Algorithms on Matrix
// Manifolds, 2008, chapter 4.
#pragma once

#include <vector>

namespace haptos {

class Retraction {
 public:
  virtual ~Retraction() = default;
  /// Bends a direction dz at z, both of all unknowns, so that z + dz lies on the curved set;
  /// without changing it to first order. Returns whether a shorter one is bent otherwise.
  virtual bool retract(const std::vector<double>& z, std::vector<double>& dz) const = 0;
};

}  // namespace haptos
