// State: the smallest thing that restores a run. Everything else can be recomputed.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "haptos/base/math/rotation.h"
#include "haptos/scene/parts/sensor.h"
#include "haptos/system/contact_history.h"

namespace haptos {

/// The last path of a prescribed body: point by point in a straight line from one pose to another,
/// a fraction s of the way. s is 1 unless contact stopped it; then `bent` holds where its points
/// are, since points that stopped between two poses that differ by a turn fit no pose exactly.
struct PathState {
  Pose from, to;
  double s = 1;
  std::vector<Vec3d> bent;  ///< positions of all its points when s < 1 [m], else empty
};

struct State {
  double time = 0;        ///< [s]
  std::int64_t step = 0;  ///< steps taken
  double last_dt = 0;     ///< length of the last step [s]; 0 before the first
  std::vector<double> q;  ///< coordinates, body after body (bodies/body.h)
  std::vector<double> z;  ///< velocities of the unknowns, block after block
  /// The same one step earlier, where the integrator asks for it (BDF2), else empty.
  std::vector<double> q_before, z_before;
  std::vector<PathState> paths;  ///< one per prescribed body
  /// Where each prescribed body is sent in place of its trajectory, from the next step on.
  std::vector<std::optional<Pose>> targets;
  /// Per affine body the force at its centre of mass [N] and the torque about it [N m], world axes.
  std::vector<double> wrenches;
  /// Commands of motors, torques and wrenches on robots; sim/model/robots.h says where which lies.
  std::vector<double> controls;
  SensorState sensors;
  ContactHistory history;

  /// Equal for equal states; the same on every machine.
  std::uint64_t hash() const;
};

/// Writes the state as bytes with magic, version, model hash and a checksum.
void save_state(const State& state, std::uint64_t model_hash, std::ostream& out);
/// Reads what save_state wrote. Throws InputError naming what is wrong: not a state, other version,
/// other model, truncated, damaged, or what check_state refuses.
State load_state(std::string_view bytes, std::uint64_t model_hash, const std::string& name);
/// Refuses what no run leaves behind, whatever its model: numbers that are not finite, quaternions
/// that are not unit, negative counts, parts of a path beyond it, ids and places out of range.
/// @param name  the file it comes from, for the error
/// @throws InputError naming the entry, its number and its value
void check_state(const State& state, const std::string& name = "");

}  // namespace haptos
