// What a law of joints acts on: the coordinate of one joint, or a sum of several, s = sum w_k q_k.
#pragma once

#include <utility>
#include <vector>

namespace haptos {

/// A joint of an articulation, and how much of its coordinate counts.
struct JointPull {
  int joint = 0;  ///< number of its unknown
  double weight = 1;
};

struct JointPulls : std::vector<JointPull> {
  JointPulls(int joint) : vector{{joint, 1}} {}                       // NOLINT(*-explicit-*)
  JointPulls(std::vector<JointPull> all) : vector(std::move(all)) {}  // NOLINT(*-explicit-*)
};

}  // namespace haptos
