// Runs a scene and checks after every step what must always hold: the step converged, no two
// surfaces share a point and no soft body holds an end of a segment or a point of another one
// (exact tests), nothing is behind a half-space, no tetrahedron is inverted, everything is finite.
// Keeps the worst figures on the way.
#pragma once

#include <string>
#include <vector>

#include "haptos/geometry/mesh.h"
#include "haptos/sim/sim.h"

namespace haptos::test {

class Watch {
 public:
  explicit Watch(Sim& sim);

  /// One step with its checks. Returns false when something failed and going on is no use.
  bool step();
  /// Steps until `time` [s] on the scene's clock; false as step().
  bool run_until(double time);

  /// Energy where the scene starts: motion and gravity of soft and affine bodies [J].
  double initial_energy() const { return initial_; }
  /// Largest speed of any vertex of a soft or affine body over the last step [m/s].
  double speed() const { return speed_; }
  /// Present surface of a soft, affine or prescribed body.
  TriMesh surface(const std::string& name) const;
  /// Mean position of a body's surface vertices [m].
  Vec3d centre(const std::string& name) const;
  void print(const std::string& name) const;

  int steps = 0, iterations = 0, most_iterations = 0, lag_passes = 0;
  double smallest_ratio = 1, smallest_gap = 1e300;
  double energy = 0;          ///< at the end of the last step [J]
  double highest_energy = 0;  ///< over all steps, less the initial one [J]; may be negative
  double largest_rise = 0;    ///< of the energy in one step [J]
  double seconds = 0;         ///< wall time of the steps

 private:
  struct Body {
    std::string name;
    enum Kind { kSoft, kAffine, kPrescribed } kind;
  };
  bool check_surfaces();

  Sim& sim_;
  std::vector<Body> bodies_;
  std::vector<TriMesh> last_;
  double initial_ = 0, speed_ = 0;
};

}  // namespace haptos::test
