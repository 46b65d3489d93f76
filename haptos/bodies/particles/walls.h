// What parts the points of a body that share unknowns: walls so thin that points on both sides of
// one are within each other's reach. A grid of material points asks, and knows nothing of shapes.
#pragma once

#include "haptos/base/math/math.h"
#include "haptos/system/state.h"

namespace haptos {

class Walls {
 public:
  virtual ~Walls() = default;
  /// Takes the walls to where they are in a state.
  virtual void place(const State& state) = 0;
  /// Whether a wall may be within r of x [m].
  virtual bool near(const Vec3d& x, double r) const = 0;
  /// x, or the place on the surface of a wall that it is a little inside of.
  virtual Vec3d outside(const Vec3d& x) const = 0;
  /// Whether a wall stands between two places that are outside of all walls.
  virtual bool between(const Vec3d& a, const Vec3d& b) const = 0;
};

}  // namespace haptos
